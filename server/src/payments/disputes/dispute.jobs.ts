import assert from "node:assert/strict";
import type { DisputeAnswer } from "../../acquiring/processor.ts";
import type { AccountId } from "../../core/ids.ts";
import { amountsIn } from "../../identity/accounts/fees-and-limits.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { finishDisputeResponse, uncountDisputeResponse } from "../commit/due-work.sql.ts";
import { claimDueResponses, listOverdueDisputes } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { readEvidenceFiles } from "./dispute-file.ts";
import { type DisputeDeps, recordRejectedResponse, transitionDispute } from "./record-dispute.ts";
import { responseTo } from "./render-evidence-of.ts";
import { applyMissedDeadline } from "./transition-dispute.ts";

const batchSize = 32;

/**
 * The maximum number of one merchant's responses that are sent concurrently. Sending large evidence can take the full
 * acquirer timeout of 20 s, so the limit leaves most slots to other merchants.
 */
const maxPerMerchant = 4;

/**
 * The lease of a claimed response. Covers three requests with the acquirer timeout of 20 s each, and the commit. When
 * it expires, an unconfirmed response is sent again.
 */
const responseLeaseMs = 90_000;

/** Starts the job that applies missed deadlines. A chargeback is lost, and an inquiry becomes a chargeback. */
export function startDeadlines(deps: DisputeDeps, background: Background): Loop {
  return startDueWork({
    name: "dispute deadlines",
    everyMs: 5_000,
    batchSize,
    take: (limit) => listOverdueDisputes(deps.database.read, deps.clock.now(), limit),
    handle: (dispute) => applyDeadline(deps, dispute),
    oneByOne: true,
    background,
  });
}

async function applyDeadline(deps: DisputeDeps, dispute: Dispute): Promise<void> {
  const now = deps.clock.now();
  const account = await deps.accounts.get(dispute.scope.account);
  const feeMinor = amountsIn(account, dispute.price.currency).disputeFee;
  await deps.database.transaction((tx) =>
    transitionDispute(tx, dispute, { feeMinor, now, cause: null }, (current, context) =>
      current.status === "needs_response" && current.evidenceDueAt <= now
        ? applyMissedDeadline(current, context)
        : null,
    ),
  );
  deps.wakeDeliveries();
}

/** Starts the job that sends each merchant response to the network until the network confirms it. */
export function startResponses(deps: DisputeDeps, background: Background): Loop {
  return startDueWork<Dispute, AccountId>({
    name: "dispute responses",
    everyMs: 1_000,
    batchSize,
    share: { keyOf: ({ scope }) => scope.account, size: maxPerMerchant },
    take: (limit, busy) =>
      claimDueResponses(deps, {
        leaseMs: responseLeaseMs,
        limit,
        exceptAccounts: busy,
      }),
    handle: (dispute) => sendResponse(deps, dispute),
    onFailure: (dispute, error) => deps.log.responseFailed(dispute.id, error),
    background,
  });
}

async function sendResponse(deps: DisputeDeps, dispute: Dispute): Promise<void> {
  const charge = await readCharge(deps.database.read, dispute.scope, dispute.chargeId);
  if (!charge || deps.acquirers.isRetired(charge)) {
    return applyRejection(deps, dispute, notConnected);
  }
  const processor = deps.acquirers.of(charge);
  // The connection's secrets could not be decrypted. The response is sent when the lease expires.
  if (!processor) return deps.database.autocommit((tx) => uncountDisputeResponse(tx, dispute));
  const answer = await answerOf(deps, dispute);
  const response = await processor.respondToDispute(responseTo(dispute, answer));
  switch (response.kind) {
    case "received":
      return deps.database.autocommit((tx) => finishDisputeResponse(tx, dispute));
    case "not_sent":
      return deps.database.autocommit((tx) => uncountDisputeResponse(tx, dispute));
    case "rejected":
      return applyRejection(deps, dispute, response.problem);
    case "unknown":
      // The response is sent again when the lease expires.
      return;
  }
}

const notConnected =
  "The acquirer is no longer connected to the service. Respond in the acquirer's console.";

/**
 * Returns the merchant's response to send. The dispute's status is checked before its evidence, because a dispute that
 * the merchant accepted can still have evidence, which must not be sent. A `won` dispute with a response to send is an
 * inquiry of a refunded charge.
 */
async function answerOf({ database, keys }: DisputeDeps, dispute: Dispute): Promise<DisputeAnswer> {
  const { id, status } = dispute;
  if (status === "lost") return { kind: "accepted" };
  if (status === "won") return { kind: "refunded" };
  assert(dispute.evidence, `${id} has a response without evidence`);
  const { files: ids = [], ...evidence } = dispute.evidence;
  const files = await readEvidenceFiles({ read: database.read, keys }, dispute, ids);
  return { kind: "evidence", evidence, files };
}

/**
 * Records that the acquirer rejected the response. Acquirers reject a response that they have already received, so the
 * rejection of a repeated attempt does not prove that the first attempt failed. After such a rejection, evidence waits
 * for the acquirer's notification until the deadline, and any other response counts as received.
 */
async function applyRejection(deps: DisputeDeps, dispute: Dispute, problem: string): Promise<void> {
  const now = deps.clock.now();
  if (dispute.responseAttempts > 1) {
    if (dispute.status !== "under_review") {
      return deps.database.autocommit((tx) => finishDisputeResponse(tx, dispute));
    }
    if (dispute.evidenceDueAt > now) return;
  }
  deps.log.responseRejected(dispute.id, problem);
  await recordRejectedResponse(deps, dispute, problem);
}
