import type { ChargeDeps } from "../charges/charge-deps.ts";
import { createCharge } from "../charges/create-charge.ts";
import { processorOf } from "../charges/prepare-charge.ts";
import type { Assessment } from "../decisions/assess.ts";
import { withinCardLimits } from "../decisions/card-limits.ts";
import type { Payment } from "../decisions/signals.ts";
import type { Idempotency } from "../http/route.ts";
import { credentialUse } from "../payment-methods/credential-use.ts";
import type { ChargeableMethod } from "../payment-methods/payment-methods.ts";
import { noSuchParameter } from "../primitives/api-error.ts";
import type { RequestId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { PayingBrowser } from "./browser-of.ts";
import type { CheckoutSession } from "./checkout-session.ts";
import { heedConsent } from "./heed-consent.ts";
import type { SessionDeps } from "./session-deps.ts";

export type Confirmation = {
  readonly paymentMethodId: string;
  /** Whether the customer agrees that the card be saved. */
  readonly save: boolean;
  readonly browser: PayingBrowser;
  readonly requestId: RequestId;
  readonly idempotency: Idempotency;
};

/**
 * The customer pays: one charge for the session, begun by the compare-and-set from `open` to `processing`. Of
 * two clicks or two tabs one wins; the other finds the session in whatever state the first has brought it to.
 */
export async function confirmSession(
  { charges }: SessionDeps,
  session: CheckoutSession,
  confirmation: Confirmation,
): Promise<void> {
  const { owner, price } = session;
  if (session.status !== "open" || session.expiresAt <= charges.clock.now()) return;
  const processor = await processorOf(charges, owner, price);
  const { paymentMethodId } = confirmation;
  const found = await charges.paymentMethods.find(owner, paymentMethodId);
  if (!found || !mayPay(found, session)) {
    throw noSuchParameter("payment method", paymentMethodId, "payment_method_id");
  }
  const paymentMethod = await heedConsent(charges, session, found, confirmation.save);

  const use = credentialUse(paymentMethod.saving, false);
  const payment = paymentOf(session, paymentMethod, confirmation.browser);
  if (charges.cardLimits) charges.judge.refuseFlood(payment);
  const traits = processor.lookUp(paymentMethod.credentials, price, use);
  const judged = await charges.judge.assess({ ...payment, traits }, "counting");
  const assessment = session.details.three_d_secure === "always" ? proven(judged) : judged;
  const begun = await createCharge(charges, {
    owner,
    price,
    paymentMethod,
    processor,
    captureMethod: session.captureMethod,
    assessment: charges.cardLimits
      ? withinCardLimits(assessment, paymentMethod.record)
      : assessment,
    decisionId: null,
    customerId: session.customerId,
    checkoutSessionId: session.id,
    description: session.details.description,
    statementDescriptor: null,
    offSession: false,
    returnUrl: session.details.return_url,
    // The session's own, so that whoever gets the charge's events finds the order in them (contract §6).
    metadata: session.metadata,
    requestId: confirmation.requestId,
    idempotency: confirmation.idempotency,
  });
  if (!begun) await refuseOtherAttempt(charges, owner, confirmation.idempotency);
}

/** The same attempt once more is answered with how its session stands; another one needs a key of its own (spec §8). */
async function refuseOtherAttempt(
  { idempotencyKeys }: ChargeDeps,
  owner: Owner,
  idempotency: Idempotency,
): Promise<void> {
  const isTaken = await idempotencyKeys.find({ owner, key: idempotency.key });
  if (isTaken) await idempotencyKeys.replay(owner, idempotency);
}

/** The merchant takes no payment of the session without 3-D Secure. */
function proven(assessment: Assessment): Assessment {
  if (assessment.verdict === "decline") return assessment;
  const verdict = assessment.verdict === "approve" ? "challenge" : assessment.verdict;
  return { ...assessment, verdict, authenticate: true };
}

function paymentOf(
  { owner, price, customerId, details }: CheckoutSession,
  { card, billingCountry }: ChargeableMethod,
  { ip, device }: PayingBrowser,
): Omit<Payment, "traits"> {
  const { customer_email, billing_details } = details;
  return {
    owner,
    price,
    card,
    customerId,
    offSession: false,
    email: customer_email ?? billing_details?.email ?? null,
    ip,
    device,
    billingCountry: billing_details?.address?.country ?? billingCountry,
  };
}

/**
 * A card pays for the session it was typed into, and once it is saved for its customer's others: its id, which others may
 * come to know, opens nothing else.
 */
function mayPay(
  { checkoutSessionId, saving }: ChargeableMethod,
  session: CheckoutSession,
): boolean {
  const isSaved = saving?.customerId != null;
  if (isSaved && saving.customerId === session.customerId) return true;
  return checkoutSessionId === session.id || (checkoutSessionId === null && !isSaved);
}
