import { maxSavedCards } from "@florin/contract/payment-method.ts";
import { countSavedCards, recordConsent } from "../../cards/payment-methods/payment-method.sql.ts";
import { type ChargeableMethod, isOfDevice } from "../../cards/payment-methods/payment-methods.ts";
import { ApiError } from "../../core/api-error.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/**
 * Records the customer's consent to save the card. The consent is recorded before the charge, so that any process that
 * finishes the charge saves the card, even after a crash. Does nothing for a fixed test method or a card that is
 * already saved.
 */
export async function applyConsent(
  { database, clock }: ChargeDeps,
  session: CheckoutSession,
  method: ChargeableMethod,
  agreed: boolean,
): Promise<ChargeableMethod> {
  const { scope, customerId, details } = session;
  if (agreed && !(details.save_payment_method && customerId)) {
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
  if (method.kind !== "card" || purpose.kind !== "single_use" || (!agreed && !purpose.consented))
    return method;
  if (
    agreed &&
    customerId &&
    (await countSavedCards(database.read, scope, customerId)) >= maxSavedCards
  ) {
    throw new ApiError(
      "customer_max_payment_methods",
      `The customer has reached the maximum of ${maxSavedCards} saved cards. Pay without saving the card.`,
      { param: "save_payment_method" },
    );
  }
  const at = agreed ? clock.now() : null;
  await database.autocommit((tx) => recordConsent(tx, scope, method.id, at));
  return { ...method, purpose: { ...purpose, consented: agreed } };
}
