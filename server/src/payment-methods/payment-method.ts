import type { PaymentMethod as PaymentMethodObject } from "@florin/contract/payment-method.ts";
import { unixSeconds } from "../primitives/clock.ts";
import {
  type CheckoutSessionId,
  type CustomerId,
  createdAt,
  type PaymentMethodId,
} from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Purpose } from "./purpose.ts";
import type { ShownCard } from "./shown-card.ts";

/** A card that was collected in the frame, as far as it is known outside the vault. */
export type PaymentMethod = {
  readonly id: PaymentMethodId;
  readonly owner: Owner;
  /** Whom it is saved for. */
  readonly customerId: CustomerId | null;
  /** The session whose card form it was typed into; null for a fixed test name. */
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly card: ShownCard;
  /** Where its bills go, as its holder said in the card form. */
  readonly billingCountry: string | null;
  /** When its holder agreed to its being saved; it is saved by the first payment that then succeeds. */
  readonly consentedAt: Date | null;
  /** What the network calls the payment that saved it. */
  readonly networkTransactionId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly detachedAt: Date | null;
};

/** Returns what a payment method may pay for. Null once its card is erased. */
export function purposeOf(method: PaymentMethod): Purpose | null {
  const { customerId, checkoutSessionId, consentedAt, networkTransactionId, detachedAt } = method;
  if (detachedAt) return null;
  if (customerId) return { kind: "saved", customerId, networkTransactionId };
  // Constraint payment_methods_have_a_purpose: a card that is not saved belongs to a session.
  if (!checkoutSessionId) return null;
  return { kind: "single_use", checkoutSessionId, consented: consentedAt !== null };
}

export function paymentMethodObject(
  method: PaymentMethod,
  created: Date = createdAt(method.id),
): PaymentMethodObject {
  return {
    id: method.id,
    object: "payment_method",
    livemode: method.owner.livemode,
    created: unixSeconds(created),
    type: "card",
    customer_id: method.customerId,
    card: method.card,
    metadata: method.metadata,
  };
}
