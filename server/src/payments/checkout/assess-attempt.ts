import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { CardTraits, Processor } from "../../acquiring/processor.ts";
import { type ChargeableMethod, isOfDevice } from "../../cards/payment-methods/payment-methods.ts";
import { credentialUse } from "../../cards/payment-methods/purpose.ts";
import { type Assessment, withoutAuthentication } from "../../risk/assess.ts";
import { withinCardLimits } from "../../risk/card-limits.ts";
import type { Payment } from "../../risk/signals.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import type { PayingBrowser } from "./paying-browser.ts";

type AssessedAttempt = {
  readonly session: CheckoutSession;
  readonly paymentMethod: ChargeableMethod;
  readonly processor: Processor;
  readonly browser: PayingBrowser;
};

/**
 * Assesses an attempt to pay for the session or to verify a card, and counts it. Both count toward the same limits,
 * because card testers verify cards as well as charge them. Throws a 429 if there are too many attempts.
 */
export async function assessAttempt(
  { riskEngine, cardLimits }: ChargeDeps,
  { session, paymentMethod, processor, browser }: AssessedAttempt,
): Promise<Assessment> {
  const payment = paymentOf(session, paymentMethod, browser);
  if (cardLimits) riskEngine.assertAttemptsWithinLimits(payment);
  const traits = traitsOf(paymentMethod, processor, session);
  const assessed = await riskEngine.assess({ ...payment, traits }, "counting");
  const assessment = authenticationOf(assessed, session, paymentMethod);
  return cardLimits ? withinCardLimits(assessment, paymentMethod.record) : assessment;
}

/**
 * Returns the network's data on the card. Returns defaults for a wallet's token that only the acquirer decrypts,
 * because nothing is known about its card.
 */
function traitsOf(
  method: ChargeableMethod,
  processor: Processor,
  { price }: CheckoutSession,
): CardTraits {
  if (method.kind === "gateway_token") return { authentication: "optional", risk: "normal" };
  return processor.lookUp(method.credentials, price, credentialUse(method.purpose, false));
}

/**
 * Returns whether a customer can pay with a wallet's token that only the acquirer decrypts. Apple Pay always
 * authenticates the customer. The form requests only authenticated tokens from Google Pay too, but the service cannot
 * check this, and a customer could replace the token. Google Pay is therefore excluded if the payment requires 3-D
 * Secure. The customer can then pay with a typed card.
 */
export function canPayWithGatewayToken(
  wallet: DigitalWallet,
  isAuthenticationRequired: boolean,
): boolean {
  return wallet === "apple_pay" || !isAuthenticationRequired;
}

/**
 * Applies the session's 3-D Secure requirement to the assessment. A payment with a wallet's token never uses 3-D
 * Secure: its device has already authenticated the customer, and 3-D Secure does not accept the number of a network
 * token. If authentication is required and the service cannot check that the device authenticated the customer, the
 * payment is declined.
 */
function authenticationOf(
  assessed: Assessment,
  { details }: CheckoutSession,
  method: ChargeableMethod,
): Assessment {
  const isRequired = details.three_d_secure === "always";
  const demanded = isRequired ? requireAuthentication(assessed) : assessed;
  if (!isOfDevice(method)) return demanded;
  const isPossible =
    method.kind === "card" || canPayWithGatewayToken(method.wallet, demanded.authenticate);
  return isPossible ? withoutAuthentication(assessed) : unauthenticated(demanded);
}

/** Declines a payment that requires 3-D Secure, because its cardholder cannot be authenticated. */
function unauthenticated(assessment: Assessment): Assessment {
  const reasons = [...assessment.reasons, "authentication_not_possible"];
  const decline = "authentication_required";
  return { ...assessment, verdict: "decline", authenticate: false, decline, reasons };
}

/**
 * Returns the assessment with 3-D Secure required, for a session with `three_d_secure: "always"`. A decline stays
 * unchanged.
 */
function requireAuthentication(assessment: Assessment): Assessment {
  if (assessment.verdict === "decline") return assessment;
  const verdict = assessment.verdict === "approve" ? "challenge" : assessment.verdict;
  return { ...assessment, verdict, authenticate: true };
}

function paymentOf(
  { id, scope, price, customerId, details }: CheckoutSession,
  { card, billingCountry }: ChargeableMethod,
  { ip, device }: PayingBrowser,
): Omit<Payment, "traits"> {
  const { customer_email, billing_details } = details;
  return {
    scope,
    price,
    card,
    customerId,
    offSession: false,
    sessionId: id,
    email: customer_email ?? billing_details?.email ?? null,
    ip,
    device,
    billingCountry: billing_details?.address?.country ?? billingCountry,
  };
}
