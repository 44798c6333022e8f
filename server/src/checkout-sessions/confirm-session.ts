import { createCharge } from "../charges/create-charge.ts";
import { processorOf } from "../charges/prepare-charge.ts";
import { assess } from "../decisions/assess.ts";
import type { Idempotency } from "../http/route.ts";
import { noSuchParameter } from "../primitives/api-error.ts";
import type { RequestId } from "../primitives/ids.ts";
import type { CheckoutSession } from "./checkout-session.ts";
import type { SessionDeps } from "./session-deps.ts";

/**
 * The customer pays: one charge for the session, begun by the compare-and-set from `open` to `processing`. Of
 * two clicks or two tabs one wins; the other finds the session in whatever state the first has brought it to.
 */
export async function confirmSession(
  { charges }: SessionDeps,
  session: CheckoutSession,
  confirmation: { paymentMethodId: string; requestId: RequestId; idempotency: Idempotency },
): Promise<void> {
  const { owner, price } = session;
  if (session.status !== "open" || session.expiresAt <= charges.clock.now()) return;
  const processor = await processorOf(charges, owner);
  const { paymentMethodId } = confirmation;
  const paymentMethod = await charges.paymentMethods.find(owner, paymentMethodId);
  // A card pays for the session it was typed into: its id, which others may come to know, opens nothing else.
  const isForAnother =
    paymentMethod?.checkoutSessionId && paymentMethod.checkoutSessionId !== session.id;
  if (!paymentMethod || isForAnother) {
    throw noSuchParameter("payment method", paymentMethodId, "payment_method_id");
  }

  const assessment = assess(processor.lookUp(paymentMethod.credentials, price));
  const always = session.details.three_d_secure === "always" && assessment.verdict === "approve";
  await createCharge(charges, {
    owner,
    price,
    paymentMethod,
    processor,
    captureMethod: session.captureMethod,
    assessment: always ? { ...assessment, verdict: "challenge" } : assessment,
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
}
