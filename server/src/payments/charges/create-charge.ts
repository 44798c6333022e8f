import type { Processor } from "../../acquiring/processor.ts";
import { isFixedTestMethod } from "../../cards/payment-methods/payment-method-id.ts";
import type { ChargeableMethod } from "../../cards/payment-methods/payment-methods.ts";
import { ApiError } from "../../core/api-error.ts";
import type { CheckoutSessionId, CustomerId, DecisionId, RequestId } from "../../core/ids.ts";
import { newId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { violates } from "../../platform/database/sql.ts";
import type { ApiResponse, Idempotency } from "../../platform/http/route.ts";
import type { Assessment } from "../../risk/assess.ts";
import { applyResponse, block, requireAction } from "./apply-response.ts";
import { authorize } from "./call-acquirer.ts";
import { readCharge } from "./charge.sql.ts";
import type { ProcessingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { dueAt } from "./inquiry-schedule.ts";
import { type RecordedCharge, recordCharge } from "./record-charge.ts";

/** The validated parameters of a new charge. */
export type CreateCharge = {
  readonly scope: Scope;
  readonly price: Money;
  readonly paymentMethod: ChargeableMethod;
  readonly processor: Processor;
  readonly captureMethod: ProcessingCharge["captureMethod"];
  /** The merchant's own decision, or the service's. */
  readonly assessment: Assessment;
  readonly decisionId: DecisionId | null;
  readonly customerId: CustomerId | null;
  readonly checkoutSessionId: CheckoutSessionId | null;
  readonly clientReferenceId: string | null;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly offSession: boolean;
  readonly returnUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly requestId: RequestId;
  readonly idempotency: Idempotency | null;
};

/**
 * Charges a payment method once. Returns null if the idempotency key is taken or the session is not open, and then no
 * charge was created.
 */
export async function createCharge(
  deps: ChargeDeps,
  command: CreateCharge,
): Promise<RecordedCharge | null> {
  const charge = startCharge(deps, command);

  // 1. Record the intent before money can move, so that a crash leaves a charge to recover.
  if (!(await open(deps, charge, command.idempotency))) return null;

  // 2. Call the acquirer with no transaction open.
  const { verdict, authenticate, decline } = command.assessment;
  if (verdict === "decline") {
    return recordCharge(deps, charge, (current, now) => block(current, now, decline));
  }
  if (authenticate) return recordCharge(deps, charge, requireAction);

  const response = await authorize(command.processor, charge, command.paymentMethod);
  return recordCharge(deps, charge, (current, now) => applyResponse(current, response, now));
}

/** Creates a charge for a request that may be a retry. A taken idempotency key returns the first request's response. */
export function createChargeOnce(deps: ChargeDeps, command: CreateCharge): Promise<ApiResponse> {
  return deps.idempotencyKeys.unlessTaken(
    command.scope,
    command.idempotency,
    async () => (await createCharge(deps, command))?.response ?? null,
  );
}

function startCharge(deps: ChargeDeps, command: CreateCharge): ProcessingCharge {
  return {
    id: newId("ch", deps.clock.now()),
    scope: command.scope,
    status: "processing",
    pendingReason: null,
    reversalPending: false,
    version: 1,
    price: command.price,
    captureMethod: command.captureMethod,
    processor: command.processor.name,
    paymentMethodId: command.paymentMethod.id,
    card: command.paymentMethod.card,
    checks: null,
    threeDSecure: null,
    networkTransactionId: null,
    customerId: command.customerId,
    checkoutSessionId: command.checkoutSessionId,
    decisionId: command.decisionId,
    risk: {
      outcome: command.assessment.verdict,
      score: command.assessment.score,
      reasons: command.assessment.reasons,
      details: command.assessment.details,
    },
    clientReferenceId: command.clientReferenceId,
    description: command.description,
    statementDescriptor: command.statementDescriptor,
    offSession: command.offSession,
    returnUrl: command.returnUrl,
    metadata: command.metadata,
    request: { id: command.requestId, idempotencyKey: command.idempotency?.key ?? null },
    inquiries: 0,
  };
}

/** Inserts a charge whose card was locked by another transaction again. */
const maxTries = 4;

async function open(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  idempotency: Idempotency | null,
): Promise<boolean> {
  const due = dueAt(charge, deps.clock.now(), 0) as Date;
  const newCharge = { charge, idempotency, claimedBy: deps.processNumber(), dueAt: due };
  try {
    for (let tries = 1; ; tries++) {
      if (await deps.commits.insertCharge(newCharge)) return true;
      if (await wasOpened(deps, charge)) return true;
      if (tries === maxTries || isFixedTestMethod(charge.paymentMethodId)) return false;
      if (
        idempotency &&
        (await deps.idempotencyKeys.find({ scope: charge.scope, ...idempotency }))
      ) {
        return false;
      }
      // The card may have been detached since it was read, or another transaction had locked it.
      await deps.paymentMethods.assertAttached(charge.scope, charge.paymentMethodId);
    }
  } catch (error) {
    if (violates(error, "charges_decision_used_once")) throw decisionAlreadyUsed(charge);
    // Another server claimed the key at the same time, or this server did and the COMMIT's reply was lost.
    if (violates(error, "idempotency_keys_pkey") || violates(error, "charges_pkey")) {
      return wasOpened(deps, charge);
    }
    throw error;
  }
}

function decisionAlreadyUsed({ decisionId }: ProcessingCharge): ApiError {
  return new ApiError(
    "decision_already_used",
    `The decision '${decisionId}' was used by another charge. A decision can be used once. Request a new one.`,
    { param: "decision_id" },
  );
}

/**
 * Returns whether the charge was created although its COMMIT's reply was lost. The repeated batch then finds the key
 * claimed by this same charge, which exists and continues normally.
 */
async function wasOpened(deps: ChargeDeps, charge: ProcessingCharge): Promise<boolean> {
  const key = charge.request?.idempotencyKey;
  if (!key) return (await readCharge(deps.database.read, charge.scope, charge.id)) !== null;
  const record = await deps.idempotencyKeys.find({ scope: charge.scope, key });
  return record?.chargeId === charge.id;
}
