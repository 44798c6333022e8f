import type { PaymentMethod as PaymentMethodObject } from "@florin/contract/payment-method.ts";
import { unixSeconds } from "../../core/clock.ts";
import {
  type CheckoutSessionId,
  type CustomerId,
  createdAt,
  type PaymentMethodId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { MaskedCard } from "./masked-card.ts";
import type { Purpose } from "./purpose.ts";

/** A card from the card form, without the data that only the vault holds. */
export type PaymentMethod = {
  readonly id: PaymentMethodId;
  readonly scope: Scope;
  /** The customer for whom it is saved. */
  readonly customerId: CustomerId | null;
  /** The session in whose card form it was typed, or null for a fixed test name. */
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly card: MaskedCard;
  /** The billing country that the cardholder entered in the card form. */
  readonly billingCountry: string | null;
  /** The time of the cardholder's consent to save it. The next successful payment saves it. */
  readonly consentedAt: Date | null;
  /** The network transaction ID of the payment that saved it. */
  readonly networkTransactionId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly detachedAt: Date | null;
};

/** Returns the payments that a payment method may be used for, or null once its card is erased. */
export function purposeOf(method: PaymentMethod): Purpose | null {
  const { customerId, checkoutSessionId, consentedAt, networkTransactionId, detachedAt } = method;
  if (detachedAt) return null;
  if (customerId) return { kind: "saved", customerId, networkTransactionId };
  // Constraint payment_methods_have_a_purpose: a card that is not saved belongs to a session.
  if (!checkoutSessionId) return null;
  return { kind: "single_use", checkoutSessionId, consented: consentedAt !== null };
}

/**
 * Returns the payments that a payment method in use by a charge may be used for. It may have been detached since the
 * charge was created. A card that was not typed into the charge's own session was saved then, because a card that is not
 * saved pays only for its own session.
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

/** A charge that still needs its card: it waits for its cardholder, or is about to be sent to the acquirer. */
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
    card: method.card,
    metadata: method.metadata,
  };
}
