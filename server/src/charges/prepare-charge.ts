import type { CreateCharge as CreateChargeBody } from "@florin/contract/charge.ts";
import { type Assessment, assess } from "../decisions/assess.ts";
import { useDecision } from "../decisions/use-decision.ts";
import type { ApiRequest } from "../http/route.ts";
import { ApiError, noSuchParameter } from "../primitives/api-error.ts";
import { priceOf } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Processor } from "../processors/processor.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import type { CreateCharge } from "./create-charge.ts";

/** Looks up all that a charge names, and refuses here what can be refused, before anything is written. */
export async function prepareCharge(
  deps: ChargeDeps,
  request: ApiRequest<CreateChargeBody>,
): Promise<CreateCharge> {
  const { owner, body } = request;
  const price = priceOf(body);
  const processor = await processorOf(deps, owner);

  const paymentMethod = await deps.paymentMethods.find(owner, body.payment_method_id);
  if (!paymentMethod) {
    throw noSuchParameter("payment method", body.payment_method_id, "payment_method_id");
  }
  // Customers come with the saved cards; until then there is none to name.
  if (body.customer_id !== undefined) {
    throw noSuchParameter("customer", body.customer_id, "customer_id");
  }
  const traits = processor.lookUp(paymentMethod.credentials, price);
  const decision =
    body.decision_id === undefined
      ? null
      : await useDecision(deps, owner, body.decision_id, {
          price,
          paymentMethod: paymentMethod.id,
        });

  return {
    owner,
    price,
    paymentMethod,
    processor,
    captureMethod: body.capture_method ?? "automatic",
    assessment: forAbsence(decision?.assessment ?? assess(traits), body.off_session ?? false),
    decisionId: decision?.id ?? null,
    customerId: null,
    checkoutSessionId: null,
    description: body.description ?? null,
    statementDescriptor: body.statement_descriptor ?? null,
    offSession: body.off_session ?? false,
    returnUrl: body.return_url ?? null,
    metadata: body.metadata ?? {},
    requestId: request.id,
    idempotency: request.idempotency,
  };
}

/** Who takes the money in this world. */
export async function processorOf(deps: ChargeDeps, owner: Owner): Promise<Processor> {
  await requireAccountOpen(deps, owner);
  const processor = deps.processorFor(owner);
  if (!processor) {
    throw new ApiError(
      "connector_not_configured",
      "No acquirer is configured for live charges yet. The operator sets one up.",
    );
  }
  return processor;
}

/** Refuses an account that may not charge in this world (spec §5.3). */
export async function requireAccountOpen(deps: ChargeDeps, owner: Owner): Promise<void> {
  const { status } = await deps.accounts.get(owner.account);
  if (status === "closed") {
    throw new ApiError("account_closed", "This account is closed and cannot charge any more.");
  }
  if (owner.livemode && status !== "approved") {
    throw new ApiError(
      "testmode_charges_only",
      "This account can charge in test mode only until underwriting has approved it.",
    );
  }
}

/**
 * An absent customer cannot be asked to prove anything. The issuer is asked without it, and says
 * `authentication_required` if it must be: the merchant then brings the customer back.
 */
function forAbsence(assessment: Assessment, offSession: boolean): Assessment {
  const impossible = offSession && assessment.verdict === "challenge";
  return impossible ? { ...assessment, verdict: "approve" } : assessment;
}
