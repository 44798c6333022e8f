import type { CreateCharge as CreateChargeBody } from "@florin/contract/charge.ts";
import { assertAccepted, findProcessor } from "../../acquiring/find-processor.ts";
import { findCustomer } from "../../cards/customers/find-customer.ts";
import { unexpectedState } from "../../cards/payment-methods/detach-payment-method.ts";
import type { ChargeableMethod } from "../../cards/payment-methods/payment-methods.ts";
import { credentialUse, savedFor } from "../../cards/payment-methods/purpose.ts";
import { noSuchParameter } from "../../core/api-error.ts";
import { type CustomerId, newId } from "../../core/ids.ts";
import { priceOf } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { type Assessment, withoutAuthentication } from "../../risk/assess.ts";
import { withinCardLimits } from "../../risk/card-limits.ts";
import type { Payment } from "../../risk/signals.ts";
import { validateDecision } from "../../risk/validate-decision.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import type { CreateCharge, PreparedCharge } from "./create-charge.ts";

/** Loads the objects that the request names, and rejects an invalid request before anything is written. */
export async function prepareCharge(
  deps: ChargeDeps,
  request: ApiRequest<CreateChargeBody>,
): Promise<PreparedCharge> {
  const { scope, body } = request;
  const price = priceOf(body);
  const account = await assertAccepted(deps, scope, price);

  const paymentMethod = await deps.paymentMethods.find(scope, body.payment_method_id, null);
  if (!paymentMethod) {
    throw noSuchParameter("payment method", body.payment_method_id, "payment_method_id");
  }
  const id = newId("ch", deps.clock.now());
  const metadata = body.metadata ?? {};
  // A wallet's token pays for its session only.
  if (paymentMethod.kind !== "card") {
    throw noSuchParameter("payment method", body.payment_method_id, "payment_method_id");
  }
  const { card } = paymentMethod;
  const { processor, route } = findProcessor(deps, scope, { key: id, price, card, metadata });
  const offSession = body.off_session ?? false;
  const customerId = await payingCustomer(deps, scope, body.customer_id, paymentMethod);
  const use = credentialUse(paymentMethod.purpose, offSession);
  const traits = processor.lookUp(paymentMethod.credentials, price, use);
  const decision =
    body.decision_id === undefined
      ? null
      : await validateDecision(deps, scope, body.decision_id, {
          price,
          paymentMethod: paymentMethod.id,
        });

  // Assesses the charge even if the request has a `decision_id`, because every attempt counts toward the velocity
  // limits.
  const attempt: Payment = {
    scope,
    price,
    card,
    traits,
    customerId,
    offSession,
    sessionId: null,
    email: decision?.assessment.details?.email ?? null,
    ip: decision?.assessment.details?.ip ?? null,
    billingCountry: paymentMethod.billingCountry,
    device: null,
  };
  const assessed = await deps.riskEngine.assess(attempt, "counting");
  const assessment = decision ? assessmentOfDecision(decision.assessment, offSession) : assessed;

  const command: CreateCharge = {
    id,
    scope,
    price,
    paymentMethod,
    processor,
    route,
    consent: null,
    captureMethod: body.capture_method ?? "automatic",
    assessment: deps.cardLimits ? withinCardLimits(assessment, paymentMethod.record) : assessment,
    decisionId: decision?.id ?? null,
    customerId,
    checkoutSessionId: null,
    clientReferenceId: body.client_reference_id ?? null,
    description: body.description ?? null,
    statementDescriptor: body.statement_descriptor ?? account.profile.statementDescriptor,
    offSession,
    returnUrl: body.return_url ?? null,
    metadata,
    requestId: request.id,
    idempotency: request.idempotency,
  };
  return { command, attempt };
}

/**
 * Returns the customer for whom the card is saved, or else the customer that the request names. Rejects a request that
 * names a customer other than the one for whom the card is saved.
 */
async function payingCustomer(
  { database }: ChargeDeps,
  scope: Scope,
  named: string | undefined,
  { id, purpose }: ChargeableMethod,
): Promise<CustomerId | null> {
  const saved = savedFor(purpose);
  if (saved === null || named === undefined || named === saved) {
    return saved ?? findCustomer(database.read, scope, named);
  }
  await findCustomer(database.read, scope, named);
  throw unexpectedState(
    `The payment method '${id}' is saved for a customer other than '${named}'. Leave \`customer_id\` out, or send the ID of the customer for whom it is saved.`,
    "customer_id",
  );
}

/**
 * Skips 3-D Secure for an off-session charge, because the customer is absent. The charge is authorized without
 * authentication. If the issuer requires it, the decline code is `authentication_required`, and the merchant must ask
 * the customer to pay on-session.
 */
function assessmentOfDecision(assessment: Assessment, offSession: boolean): Assessment {
  return offSession ? withoutAuthentication(assessment) : assessment;
}
