import assert from "node:assert/strict";
import { noAcquirer, type OperationOutcome } from "../../acquiring/outcome.ts";
import type { OperationKind, OperationRequest, Processor } from "../../acquiring/processor.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type ChargeId, newId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { type Tx, violates } from "../../platform/database/sql.ts";
import type { ApiRequest, ApiResponse } from "../../platform/http/route.ts";
import { claimKey } from "../../platform/idempotency/idempotency.sql.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { lockCharge } from "../charges/charge.sql.ts";
import type { Charge } from "../charges/charge.ts";
import { amountsOf } from "../charges/charge-row.ts";
import { createLeaseMs } from "../charges/inquiry-schedule.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { assertExecutable } from "./assert-executable.ts";
import { assertRefundAllowed } from "./assert-refund-allowed.ts";
import { newOperation } from "./operation.sql.ts";
import type { Operation, OperationBase, ProcessingOperation } from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { operationRules } from "./operation-rules.ts";
import { recordOperation } from "./record-operation.ts";

/** The parameters of a new operation. */
export type RunOperation = {
  readonly scope: Scope;
  readonly kind: OperationKind;
  readonly chargeId: ChargeId;
  /** The amount. Null for the largest allowed amount, which `prepare` determines. */
  readonly amountMinor: number | null;
  readonly reason: OperationBase["reason"];
  readonly metadata: OperationBase["metadata"];
  /** The request that starts the operation. Null if the service starts it. */
  readonly request: Pick<
    ApiRequest,
    "id" | "idempotency" | "scope" | "actor" | "ip" | "authenticatedAt"
  > | null;
  readonly noSuchCharge?: ApiError;
};

/**
 * Runs an operation once: inserts the operation, calls the acquirer and records the outcome. If the idempotency key is
 * taken, returns the stored response of the first request.
 */
export function runOperation(deps: OperationDeps, command: RunOperation): Promise<ApiResponse> {
  const idempotency = command.request?.idempotency ?? null;
  return deps.idempotencyKeys.runSelfClaiming(command.scope, idempotency, async () => {
    const started = await insertIntent(deps, command);
    return started && (await finishOperation(deps, started));
  });
}

/** An operation that is inserted but not yet sent to the acquirer. `charge` is its charge before the operation. */
export type StartedOperation = {
  readonly operation: ProcessingOperation;
  readonly charge: Charge;
};

/** Calls the acquirer after the operation's transaction has committed, and records the outcome. */
export async function finishOperation(
  deps: OperationDeps,
  { operation, charge }: StartedOperation,
): Promise<ApiResponse> {
  const processor = deps.acquirers.of(charge);
  // No transaction is open during this call.
  const response = processor
    ? await sendOperation(processor, operation, charge)
    : outcomeWithoutAcquirer(deps, operation, charge);
  return (await recordOperation(deps, operation, response)).response;
}

/** Sends the operation to the acquirer. The operation ID is the reference, so a repeated request runs once. */
export function sendOperation(
  processor: Processor,
  operation: ProcessingOperation,
  charge: Charge,
): Promise<OperationOutcome> {
  return processor.operate(operationRequest(operation, charge));
}

/**
 * Returns the outcome of an operation that cannot be sent, because the connection of its charge is retired, or because
 * the connection's secrets could not be decrypted. If the connection is retired, the void of an expired authorization
 * counts as done, because nothing can capture or void the authorization any more. Otherwise the charge would stay
 * authorized forever.
 */
export function outcomeWithoutAcquirer(
  { acquirers, clock }: Pick<OperationDeps, "acquirers" | "clock">,
  { kind }: Operation,
  charge: Charge,
): OperationOutcome {
  const hasExpired = charge.status === "authorized" && charge.captureBefore <= clock.now();
  return kind === "void" && hasExpired && acquirers.isRetired(charge)
    ? { kind: "done", acquirerReference: null }
    : noAcquirer;
}

/** Returns the acquirer's request for the operation, or for an inquiry about it. */
export function operationRequest(
  { scope, id, kind, price }: Operation,
  charge: Charge,
): OperationRequest {
  return {
    account: scope.account,
    reference: id,
    charge: charge.id,
    chargeReference: charge.acquirerReference,
    kind,
    price,
  };
}

/**
 * Inserts the operation before the acquirer is called. Returns null if the idempotency key is taken. Throws, without
 * writing, if the charge does not allow the operation.
 */
async function insertIntent(
  deps: OperationDeps,
  command: RunOperation,
): Promise<StartedOperation | null> {
  const { scope, request } = command;
  return deps.database.transactionOf(scope, async (tx) => {
    const idempotency = request?.idempotency;
    const key = idempotency && { scope, key: idempotency.key };
    if (key && !(await claimKey(tx, key, idempotency.fingerprint))) return null;
    return insertOperation(deps, tx, command);
  });
}

/**
 * Inserts the operation in the caller's transaction. Throws if the charge does not allow the operation. After the
 * commit, the caller must call `finishOperation`. If its process dies before that, a job finishes the operation.
 */
export async function insertOperation(
  deps: OperationDeps,
  tx: Tx,
  command: RunOperation,
): Promise<StartedOperation> {
  const { scope, kind, chargeId, request } = command;
  const { prepare } = operationRules[kind];
  // The lock serializes the requests for a charge, so that each request sees the amounts of the earlier ones.
  const charge = await lockCharge(tx, scope, chargeId);
  if (!charge) {
    const missing = command.noSuchCharge ?? noSuch("charge", chargeId);
    throw await withArchiveNote(tx, scope, chargeId, missing);
  }
  const now = deps.clock.now();
  const prepared = prepare(charge, command.amountMinor, now);
  const operation = begin(command, charge, prepared.amountMinor, now);
  // A void that the service starts is not checked. It must be inserted, because it also ends an authorization that has
  // expired at the issuer.
  if (request) await assertExecutable(tx, deps.acquirers, charge, operation);
  if (kind === "refund" && request) {
    await assertRefundAllowed(tx, request, operation.price, now);
  }
  const person = request?.actor.kind === "person" ? request.actor.id : null;
  const due = new Date(now.getTime() + createLeaseMs);
  const recorded = await commitTransition(tx, {
    scope,
    change: newOperation(operation, { by: deps.processNumber(), person, dueAt: due }),
    charge: prepared.charge && amountsOf(prepared.charge),
  }).catch((error: unknown) => {
    if (violates(error, "operations_one_capture_or_void")) throw isUnderWay(chargeId);
    throw error;
  });
  assert(recorded, `${operation.id} exists already`);
  const { price, reason } = operation;
  const after = { amount: price.amountMinor, currency: price.currency };
  const act = { action: actions[kind], object: chargeId, after, reason };
  await recordPersonAction(tx, request, act, deps.clock);
  return { operation, charge };
}

const actions = {
  capture: "charge.captured",
  void: "charge.canceled",
  refund: "charge.refunded",
} as const;

function begin(
  { scope, kind, chargeId, reason, metadata, request }: RunOperation,
  charge: Charge,
  amountMinor: number,
  now: Date,
): ProcessingOperation {
  return {
    id: newId("op", now),
    scope,
    kind,
    chargeId,
    status: "processing",
    pendingReason: null,
    version: 1,
    price: { amountMinor, currency: charge.price.currency },
    reason,
    metadata,
    request: request && { id: request.id, idempotencyKey: request.idempotency?.key ?? null },
    acquirerReference: null,
    inquiries: 0,
  };
}

/** Returns the error for a charge whose capture or cancellation is in progress. */
export function isUnderWay(id: ChargeId): ApiError {
  return new ApiError(
    "charge_outcome_pending",
    `A capture or cancellation of the charge '${id}' is in progress or has an unknown outcome. Retrieve the charge again later. Its \`pending_reason\` is not null while the outcome is unknown.`,
    { param: "id", charge: id },
  );
}
