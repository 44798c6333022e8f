import type { Processor, RedirectPermission } from "../../acquiring/processor.ts";
import type { Route as AcquirerRoute } from "../../acquiring/routing/route.ts";
import { isFixedTestMethod } from "../../cards/payment-methods/payment-method-id.ts";
import { type ChargeableMethod, isOfDevice } from "../../cards/payment-methods/payment-methods.ts";
import { ApiError } from "../../core/api-error.ts";
import type {
  ChargeId,
  CheckoutSessionId,
  CustomerId,
  DecisionId,
  RequestId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { violates } from "../../platform/database/sql.ts";
import type { ApiResponse, Idempotency } from "../../platform/http/route.ts";
import type { Assessment } from "../../risk/assess.ts";
import type { Payment } from "../../risk/signals.ts";
import type { ConsentChoice } from "../commit/intents.sql.ts";
import { block, requireAction } from "./apply-response.ts";
import { authorizeCharge } from "./authorize-charge.ts";
import { readCharge } from "./charge.sql.ts";
import type { ProcessingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { dueAt } from "./inquiry-schedule.ts";
import { type RecordedCharge, recordAuthorization, recordCharge } from "./record-charge.ts";

/** The validated parameters of a new charge. */
export type CreateCharge = {
  readonly id: ChargeId;
  readonly scope: Scope;
  readonly price: Money;
  readonly paymentMethod: ChargeableMethod;
  readonly processor: Processor;
  /** The reasons for the choice of the acquirer, or null if there was nothing to choose. */
  readonly route: AcquirerRoute | null;
  /** The cardholder's choice whether to save the card. Null if the cardholder had no choice. */
  readonly consent: ConsentChoice | null;
  readonly captureMethod: ProcessingCharge["captureMethod"];
  /** The decision that the merchant requested, or else the service's decision. */
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

/** The parameters of a new charge, and the payment that the risk engine has counted as an attempt. */
export type PreparedCharge = { readonly command: CreateCharge; readonly attempt: Payment };

/**
 * Charges a payment method once. Creates no charge and returns null if the idempotency key is taken or the session is
 * not open.
 */
export async function createCharge(
  deps: ChargeDeps,
  command: CreateCharge,
): Promise<RecordedCharge | null> {
  const charge = startCharge(command);

  // 1. Record the intent before money can move, so that a crash leaves a charge to recover.
  if (!(await insertIntent(deps, charge, command))) return null;

  // 2. Call the acquirer with no transaction open, unless the charge is declined or must be authenticated first.
  const { verdict, authenticate, decline } = command.assessment;
  if (verdict === "decline") {
    return recordCharge(deps, charge, (current, now) => block(current, now, decline));
  }
  if (authenticate || verdict === "challenge") return recordCharge(deps, charge, requireAction);

  const { processor, paymentMethod } = command;
  const authorized = await authorizeCharge(deps, processor, charge, paymentMethod, {
    // Allows no redirect to 3-D Secure for a wallet's payment. The device has authenticated the cardholder, and 3-D
    // Secure does not accept the number of a network token.
    redirect: isOfDevice(paymentMethod) ? null : redirectPermission(deps, charge),
  });
  return recordAuthorization(deps, authorized);
}

/**
 * Allows the acquirer to redirect the cardholder if the cardholder is present. The cardholder is present in the card
 * form, and on a merchant's page if the charge has a return URL.
 */
function redirectPermission(deps: ChargeDeps, charge: ProcessingCharge): RedirectPermission | null {
  const isPresent = charge.checkoutSessionId !== null || charge.returnUrl !== null;
  if (charge.offSession || !isPresent) return null;
  return { returnUrl: deps.returnUrlOf(charge.scope, charge.id), required: false };
}

/**
 * Creates a charge. If the idempotency key is taken, returns the stored response of the first request. A repeated
 * request does not count as another attempt, because it must not change the risk score of the next charge.
 */
export function createChargeOnce(
  deps: ChargeDeps,
  { command, attempt }: PreparedCharge,
): Promise<ApiResponse> {
  let isCounted = true;
  return deps.idempotencyKeys.runSelfClaiming(command.scope, command.idempotency, async () => {
    const recorded = await createCharge(deps, command);
    if (recorded === null && isCounted) {
      // Withdraws the attempt before the wait for the first response. Once this process has shared the attempt with
      // other processes, the attempt cannot be withdrawn.
      isCounted = false;
      deps.riskEngine.withdrawAttempt(attempt);
    } else if (recorded !== null && !isCounted) {
      // An earlier try created no charge, for example because an expired idempotency key was still stored, or because the
      // card was locked. This try created the charge, so the attempt counts again.
      isCounted = true;
      deps.riskEngine.countAttempt(attempt);
    }
    return recorded?.response ?? null;
  });
}

function startCharge(command: CreateCharge): ProcessingCharge {
  return {
    id: command.id,
    scope: command.scope,
    status: "processing",
    pendingReason: null,
    reversalPending: false,
    version: 1,
    price: command.price,
    captureMethod: command.captureMethod,
    processor: command.processor.name,
    assignmentId: command.processor.assignmentId,
    acquirerReference: null,
    acquirerDetails: null,
    paymentMethodId: command.paymentMethod.id,
    card: command.paymentMethod.card,
    checks: null,
    threeDSecure: null,
    networkTransactionId: null,
    newDetails: null,
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
    inquiryRestarts: 0,
  };
}

/** The maximum number of attempts to insert a charge whose card is locked by another transaction. */
const maxTries = 4;

async function insertIntent(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  { idempotency, route, consent }: Pick<CreateCharge, "idempotency" | "route" | "consent">,
): Promise<boolean> {
  const due = dueAt(charge, deps.clock.now(), 0) as Date;
  const claimedBy = deps.processNumber();
  const newCharge = { charge, route, consent, idempotency, claimedBy, dueAt: due };
  try {
    for (let tries = 1; ; tries++) {
      if (await deps.commits.insertCharge(newCharge)) return true;
      if (await wasInserted(deps, charge)) return true;
      if (tries === maxTries || isFixedTestMethod(charge.paymentMethodId)) return false;
      if (
        idempotency &&
        (await deps.idempotencyKeys.find({ scope: charge.scope, ...idempotency }))
      ) {
        return false;
      }
      // The session is not open, the card was detached after it was read, or another transaction holds the card's lock.
      // Throws if the card is detached, and otherwise retries.
      await deps.paymentMethods.assertAttached(charge.scope, charge.paymentMethodId);
    }
  } catch (error) {
    if (violates(error, "charges_decision_used_once")) throw decisionAlreadyUsed(charge);
    // Another server claimed the key concurrently, or this server claimed it and the reply to its COMMIT was lost.
    if (violates(error, "idempotency_keys_pkey") || violates(error, "charges_pkey")) {
      return wasInserted(deps, charge);
    }
    throw error;
  }
}

function decisionAlreadyUsed({ decisionId }: ProcessingCharge): ApiError {
  return new ApiError(
    "decision_already_used",
    `The decision '${decisionId}' was used by another charge. You can use a decision only once. Request a new one.`,
    { param: "decision_id" },
  );
}

/**
 * Returns whether the charge exists although its insert reported a conflict. After a lost COMMIT reply, the repeated
 * batch finds the idempotency key claimed by this same charge.
 */
async function wasInserted(deps: ChargeDeps, charge: ProcessingCharge): Promise<boolean> {
  const key = charge.request?.idempotencyKey;
  if (!key) return (await readCharge(deps.database.read, charge.scope, charge.id)) !== null;
  const record = await deps.idempotencyKeys.find({ scope: charge.scope, key });
  return record?.chargeId === charge.id;
}
