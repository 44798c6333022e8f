import assert from "node:assert/strict";
import type { OperationOutcome } from "../../acquiring/outcome.ts";
import type { OperationNotification } from "../../acquiring/processor.ts";
import { ApiError } from "../../core/api-error.ts";
import { type AccountId, type ChargeId, createdAt } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { claimDueOperations, listChargesToRelease, readOperation } from "./operation.sql.ts";
import type { Operation, ProcessingOperation } from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { recordOperation } from "./record-operation.ts";
import {
  operationRequest,
  outcomeWithoutAcquirer,
  runOperation,
  sendOperation,
} from "./run-operation.ts";

const batchSize = 32;

/**
 * The number of operations of one merchant that run at a time. Each can wait for the rate limit of its connection and
 * for the acquirer, so they must not occupy all slots.
 */
const maxPerMerchant = batchSize / 2;

/**
 * The lease of a claimed operation. Covers an inquiry and a repeated request of 20 s each, the wait for the
 * connection's rate limit, and the commit.
 */
const leaseMs = 60_000;

/** Starts the job that sends status inquiries for operations with an unknown outcome. */
export function startDueOperations(deps: OperationDeps, background: Background): Loop {
  return startDueWork<ProcessingOperation, AccountId>({
    name: "due operations",
    everyMs: 1_000,
    batchSize,
    share: { keyOf: ({ scope }) => scope.account, size: maxPerMerchant },
    take: (limit, busy) =>
      claimDueOperations(deps, deps.processNumber(), { leaseMs, limit, exceptAccounts: busy }),
    handle: (operation) => finish(deps, operation),
    onFailure: (operation, error) => deps.log.inquiryFailed(operation.id, error),
    background,
  });
}

/**
 * A margin for the difference between our clock and the acquirer's, and for the transit time of the repeated request.
 */
const replayMarginMs = 60 * 60_000;

/**
 * Sends a status inquiry for an operation. If the acquirer has no record of the operation, sends the request again.
 * Within the acquirer's replay window, two requests with the same reference are executed once, even if the first
 * arrives late. After the window both could be executed, so only inquiries are sent until the operation needs manual
 * review.
 */
async function finish(deps: OperationDeps, operation: ProcessingOperation): Promise<void> {
  await recordOperation(deps, operation, await inquireOrRepeat(deps, operation), "inquiry");
}

async function inquireOrRepeat(
  deps: OperationDeps,
  operation: ProcessingOperation,
): Promise<OperationOutcome> {
  const { scope, id } = operation;
  const charge = await readCharge(deps.database.read, scope, operation.chargeId);
  assert(charge, `${id} has no charge`);
  const processor = deps.acquirers.of(charge);
  if (!processor) return outcomeWithoutAcquirer(deps, operation, charge);
  const response = await processor.inquireOperation?.(operationRequest(operation, charge));
  if (response && response.kind !== "not_found") return response;
  // The ID contains its creation time, which is before the first request.
  const ageMs = deps.clock.now().getTime() - createdAt(id).getTime();
  return ageMs + replayMarginMs < processor.replaySafeForMs
    ? sendOperation(processor, operation, charge)
    : { kind: "unknown", why: "replay_unsafe", problem: "it is too late to repeat the request" };
}

/**
 * Sends a status inquiry for a final operation. Returns the acquirer's response, or null if the acquirer has no
 * inquiries.
 */
export async function inquireAgain(
  deps: Pick<OperationDeps, "database" | "acquirers">,
  operation: Operation,
): Promise<OperationOutcome | { readonly kind: "not_found" } | null> {
  const charge = await readCharge(deps.database.read, operation.scope, operation.chargeId);
  const inquire = charge && deps.acquirers.of(charge)?.inquireOperation;
  return inquire ? inquire(operationRequest(operation, charge)) : null;
}

/**
 * Applies an acquirer's notification. For a final operation, only the late failure of a refund has an effect. Returns
 * the operation afterwards, or null if it does not exist or the notification has no outcome.
 */
export async function applyOperationNotification(
  deps: OperationDeps,
  { account, livemode, reference, response }: OperationNotification,
): Promise<Operation | null> {
  // Ignores a notification without an outcome, because recording it would delay the next inquiry.
  if (response.kind === "pending" || response.kind === "unknown") return null;
  const operation = await readOperation(deps.database.read, { account, livemode }, reference);
  return operation && (await recordOperation(deps, operation, response)).operation;
}

/**
 * Starts the job that voids authorizations that were not captured in time. The issuer has already released them. The
 * void updates the charge and notifies the merchant.
 */
export function startReleases(deps: OperationDeps, background: Background): Loop {
  return startDueWork({
    name: "releases",
    everyMs: 5_000,
    batchSize,
    take: (limit) => listChargesToRelease(deps.database.read, deps.clock.now(), limit),
    handle: (charge) => release(deps, charge),
    background,
  });
}

async function release(
  deps: OperationDeps,
  { scope, id }: { readonly scope: Scope; readonly id: ChargeId },
): Promise<void> {
  const words = { amountMinor: null, reason: null, metadata: {}, request: null };
  try {
    await runOperation(deps, { scope, kind: "void", chargeId: id, ...words });
  } catch (error) {
    // An `ApiError` means that the charge was captured or canceled in the meantime.
    if (!(error instanceof ApiError)) throw error;
  }
}
