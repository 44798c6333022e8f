import assert from "node:assert/strict";
import { assertVerifiable, findVerifier } from "../../acquiring/find-processor.ts";
import { noSuchParameter } from "../../core/api-error.ts";
import type { VerifyCard } from "../card-verifications/verify-card.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { applyConsent } from "./apply-consent.ts";
import { assessAttempt } from "./assess-attempt.ts";
import type { Confirmation } from "./prepare-confirmation.ts";
import type { SessionDeps } from "./session-deps.ts";

/**
 * Loads the objects that the verification needs, and rejects a card that cannot be saved, before anything is written.
 * Confirming a session of mode `setup` is the cardholder's consent to save the card. Returns null if the session is not
 * open.
 */
export async function prepareVerification(
  { charges }: SessionDeps,
  session: CheckoutSession,
  { paymentMethodId, browser, requestId, idempotency }: Confirmation,
): Promise<VerifyCard | null> {
  const { scope, price, customerId } = session;
  if (session.status !== "open" || session.expiresAt <= charges.clock.now()) return null;
  await assertVerifiable(charges, scope, price.currency);
  const found = await charges.paymentMethods.find(scope, paymentMethodId, session.id);
  // Rejects a card that is already saved. Also rejects a fixed test name and a wallet's token, because neither can be
  // saved.
  if (found?.kind !== "card" || found.purpose.kind !== "single_use" || customerId === null) {
    throw noSuchParameter("payment method", paymentMethodId, "payment_method_id");
  }
  const verifier = findVerifier(charges, scope, price.currency, found.card);
  const { paymentMethod, consent } = await applyConsent(charges, session, found, true);
  assert(paymentMethod.kind === "card" && consent?.at);
  return {
    scope,
    currency: price.currency,
    paymentMethod,
    consentedAt: consent.at,
    verifier,
    assessment: await assessAttempt(charges, {
      session,
      paymentMethod,
      processor: verifier,
      browser,
    }),
    customerId,
    checkoutSessionId: session.id,
    requestId,
    idempotency,
  };
}
