import type {
  PaymentMethod as PaymentMethodObject,
  SavedBy,
  UpdateReason,
} from "@florin/contract/payment-method.ts";
import { unixSeconds } from "../../core/clock.ts";
import {
  type AssignmentId,
  type CheckoutSessionId,
  type CustomerId,
  createdAt,
  type PaymentMethodId,
  type VerificationId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { MaskedCard } from "./masked-card.ts";
import type { Purpose } from "./purpose.ts";

/** A stored card, without the data that only the vault has. */
export type PaymentMethod = {
  readonly id: PaymentMethodId;
  readonly scope: Scope;
  /** The customer for whom the card is saved, or null. */
  readonly customerId: CustomerId | null;
  /** The session whose card form collected the card. Null for the card of a fixed test name. */
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly card: MaskedCard;
  /**
   * The assignment whose acquirer alone can decrypt the wallet token of this payment method. Null if the card has a
   * number in the vault. A payment method with an assignment can be charged only once, in its session, and is never
   * saved.
   */
  readonly assignmentId: AssignmentId | null;
  /** The billing country that the cardholder entered in the card form. */
  readonly billingCountry: string | null;
  /**
   * The time at which the cardholder consented to save the card. The session's successful payment or verification saves
   * it.
   */
  readonly consentedAt: Date | null;
  /** The network transaction ID of the payment or verification that saved the card. */
  readonly networkTransactionId: string | null;
  /**
   * The verification that saved the card. Null if the card is not saved, or if a payment or the attach endpoint saved
   * it.
   */
  readonly verificationId: VerificationId | null;
  /** The report, from the account updater or a decline, that the stored card is out of date. Null if there is none. */
  readonly updateRequired: UpdateRequired | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly detachedAt: Date | null;
};

export type UpdateRequired = { readonly reason: UpdateReason; readonly reportedAt: Date };

/** Returns the payments that a payment method may be used for, or null if the payment method is detached. */
export function purposeOf(method: PaymentMethod): Purpose | null {
  const { customerId, checkoutSessionId, consentedAt, networkTransactionId, detachedAt } = method;
  if (detachedAt) return null;
  if (customerId) return { kind: "saved", customerId, networkTransactionId };
  // Unreachable: the constraint `payment_methods_have_a_purpose` requires a session for a card that is not saved.
  if (!checkoutSessionId) return null;
  return { kind: "single_use", checkoutSessionId, consented: consentedAt !== null };
}

/**
 * Returns the purpose of a payment method that a charge in progress uses. The method may have been detached since the
 * charge was created. If a detached card was typed in the charge's session, its purpose is `single_use`. Any other
 * detached card was saved, because an unsaved card can pay only for the session in which it was typed.
 */
export function purposeInUse(method: PaymentMethod, charge: ChargeInProgress): Purpose | null {
  if (!method.detachedAt) return purposeOf(method);
  const { checkoutSessionId, networkTransactionId } = method;
  if (checkoutSessionId && checkoutSessionId === charge.checkoutSessionId) {
    return { kind: "single_use", checkoutSessionId, consented: false };
  }
  const { customerId } = charge;
  return customerId && { kind: "saved", customerId, networkTransactionId };
}

/** A charge that still needs its card, because it waits for the cardholder or is about to be sent to the acquirer. */
export type ChargeInProgress = {
  readonly scope: Scope;
  readonly paymentMethodId: PaymentMethodId;
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly customerId: CustomerId | null;
};

export function paymentMethodObject(
  method: PaymentMethod,
  created: Date = createdAt(method.id),
): PaymentMethodObject {
  return {
    id: method.id,
    object: "payment_method",
    livemode: method.scope.livemode,
    created: unixSeconds(created),
    type: "card",
    customer_id: method.customerId,
    saved_by: savedByOf(method),
    checkout_session_id: method.checkoutSessionId,
    card: method.card,
    update_required: method.updateRequired && {
      reason: method.updateRequired.reason,
      reported_at: unixSeconds(method.updateRequired.reportedAt),
    },
    metadata: method.metadata,
  };
}

/** Returns how the card was saved, or null if it is not saved for a customer. */
function savedByOf({
  customerId,
  verificationId,
  checkoutSessionId,
}: PaymentMethod): SavedBy | null {
  if (customerId === null) return null;
  if (verificationId !== null) return "setup";
  return checkoutSessionId === null ? "api" : "payment";
}
