import { maxSavedCards } from "@florin/contract/payment-method.ts";
import { countSavedCards } from "../../cards/payment-methods/payment-method.sql.ts";
import { type ChargeableMethod, isOfDevice } from "../../cards/payment-methods/payment-methods.ts";
import { ApiError } from "../../core/api-error.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { ConsentChoice } from "../commit/intents.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/**
 * The payment method of a confirmation, and the cardholder's choice to record when the confirmation moves the session
 * to `processing`.
 */
type MethodWithConsent = {
  readonly paymentMethod: ChargeableMethod;
  /** Null if the session does not offer to save the card, or if the card cannot be saved or is already saved. */
  readonly consent: ConsentChoice | null;
};

/**
 * Applies the customer's choice whether to save the card. The choice is recorded in the statement that records the
 * intent of the payment, so that any process that finishes the payment saves the card, even after a crash. A
 * confirmation that finds the session no longer open must not change the choice, because another confirmation may be
 * charging the card.
 */
export async function applyConsent(
  { database, clock }: ChargeDeps,
  session: CheckoutSession,
  method: ChargeableMethod,
  agreed: boolean,
): Promise<MethodWithConsent> {
  const { scope, customerId, details } = session;
  const isOffered = details.save_payment_method === true && customerId !== null;
  if (agreed && !isOffered) {
    throw new ApiError(
      "parameter_invalid",
      "`save_payment_method` must be false, because the checkout session does not offer to save the card. Leave `save_payment_method` out.",
      {
        param: "save_payment_method",
      },
    );
  }
  if (agreed && isOfDevice(method)) {
    throw new ApiError(
      "parameter_invalid",
      "`save_payment_method` must be false for a card from a wallet, because its token belongs to the customer's device. Leave `save_payment_method` out.",
      { param: "save_payment_method" },
    );
  }
  const { purpose } = method;
  if (!isOffered || purpose.kind !== "single_use" || isOfDevice(method)) {
    return { paymentMethod: method, consent: null };
  }
  if (agreed && (await countSavedCards(database.read, scope, customerId)) >= maxSavedCards) {
    throw new ApiError(
      "customer_max_payment_methods",
      `The customer has reached the maximum of ${maxSavedCards} saved cards. Detach a saved card first, or pay without saving the card.`,
      { param: "save_payment_method" },
    );
  }
  const paymentMethod = { ...method, purpose: { ...purpose, consented: agreed } };
  return { paymentMethod, consent: { at: agreed ? clock.now() : null } };
}
