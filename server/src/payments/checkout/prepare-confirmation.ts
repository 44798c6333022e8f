import { assertAccepted, findProcessor } from "../../acquiring/find-processor.ts";
import { type ChargeableMethod, routedCard } from "../../cards/payment-methods/payment-methods.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import { newId, type RequestId } from "../../core/ids.ts";
import type { Idempotency } from "../../platform/http/route.ts";
import type { Vault } from "../../vault/vault.ts";
import type { CreateCharge } from "../charges/create-charge.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { applyConsent } from "./apply-consent.ts";
import { assessAttempt } from "./assess-attempt.ts";
import type { PayingBrowser } from "./paying-browser.ts";
import { rejectedCard } from "./rejected-card.ts";
import type { SessionDeps } from "./session-deps.ts";

export type Confirmation = {
  readonly paymentMethodId: string;
  /** True if the customer agrees to save the card. */
  readonly save: boolean;
  /** The security code, entered again for a saved card. */
  readonly securityCode: string | null;
  readonly browser: PayingBrowser;
  readonly requestId: RequestId;
  readonly idempotency: Idempotency;
};

/**
 * Loads the objects that the session's charge needs, and rejects a card that may not pay, before anything is written.
 * Returns null if the session is not open.
 */
export async function prepareConfirmation(
  { charges, vault }: SessionDeps,
  session: CheckoutSession,
  confirmation: Confirmation,
): Promise<CreateCharge | null> {
  const { scope, price } = session;
  if (session.status !== "open" || session.expiresAt <= charges.clock.now()) return null;
  const account = await assertAccepted(charges, scope, price);
  const { paymentMethodId } = confirmation;
  const found = await charges.paymentMethods.find(scope, paymentMethodId, session.id);
  if (!found || !mayPay(found, session)) {
    throw noSuchParameter("payment method", paymentMethodId, "payment_method_id");
  }
  const id = newId("ch", charges.clock.now());
  // The charge has the session's metadata, so that consumers of charge events can find the order.
  const { metadata } = session;
  const card = routedCard(found);
  const { processor, route } = findProcessor(charges, scope, { key: id, price, card, metadata });
  await requireSecurityCode(vault, session, found, confirmation.securityCode);
  const { paymentMethod, consent } = await applyConsent(charges, session, found, confirmation.save);

  const { browser } = confirmation;
  return {
    id,
    scope,
    price,
    paymentMethod,
    processor,
    route,
    consent,
    captureMethod: session.captureMethod,
    assessment: await assessAttempt(charges, { session, paymentMethod, processor, browser }),
    decisionId: null,
    customerId: session.customerId,
    checkoutSessionId: session.id,
    clientReferenceId: session.clientReferenceId,
    description: session.details.description,
    statementDescriptor: account.profile.statementDescriptor,
    offSession: false,
    returnUrl: session.details.return_url,
    metadata,
    requestId: confirmation.requestId,
    idempotency: confirmation.idempotency,
  };
}

/** Returns whether the card may pay for the session. A saved card pays only for sessions of its customer. */
function mayPay({ purpose }: ChargeableMethod, session: CheckoutSession): boolean {
  return purpose.kind !== "saved" || purpose.customerId === session.customerId;
}

/**
 * Requires the security code for each payment with a saved card. The issuer verifies the code, so only a person who has
 * the card can pay. Without it, anyone with the session's URL could charge the card.
 */
async function requireSecurityCode(
  vault: Vault,
  { scope, id: session }: CheckoutSession,
  { id, card, purpose }: ChargeableMethod,
  securityCode: string | null,
): Promise<void> {
  if (purpose.kind !== "saved") {
    if (securityCode === null) return;
    throw new ApiError(
      "parameter_invalid",
      "`cvc` is allowed for a saved card only. Leave `cvc` out.",
      {
        param: "cvc",
      },
    );
  }
  if (securityCode === null) {
    throw new ApiError(
      "parameter_missing",
      "`cvc` is required with a saved card. Send the security code that the customer enters.",
      { param: "cvc" },
    );
  }
  if (!(await vault.keepSecurityCode({ scope, id, session }, securityCode, card.brand))) {
    throw rejectedCard("invalid_cvc");
  }
}
