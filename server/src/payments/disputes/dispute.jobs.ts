import type { AccountId } from "../../core/ids.ts";
import { amountsIn } from "../../identity/accounts/fees-and-limits.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { finishDisputeResponse } from "../commit/due-work.sql.ts";
import { claimDueResponses, listOverdueDisputes } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { type DisputeDeps, transitionDispute } from "./record-dispute.ts";
import { applyMissedDeadline } from "./transition-dispute.ts";

const batchSize = 32;

/**
 * The maximum number of concurrent responses of one merchant. Large evidence can take the full acquirer timeout of 20
 * s, and the limit leaves most slots to other merchants.
 */
const maxPerMerchant = 4;

/**
 * The lease of a claimed response. Covers the acquirer timeout of 20 s and the commit. When it expires, an unconfirmed
 * response is sent again.
 */
const responseLeaseMs = 30_000;

/** Applies missed deadlines: a dispute is lost, and an inquiry becomes a dispute. */
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

/** Sends the merchants' dispute responses to the network until it confirms them. */
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
  const { scope, networkCase, status } = dispute;
  // An accepted dispute is `lost`. Evidence that the merchant submitted earlier must then not be sent.
  const evidence = status === "lost" ? null : dispute.evidence;
  const charge = await readCharge(deps.database.read, scope, dispute.chargeId);
  const processor = charge && deps.acquirers.of(charge);
  const response = await processor?.respondToDispute?.({
    account: scope.account,
    networkCase,
    evidence: evidence && Object.values(evidence).join("\n"),
  });
  if (response?.kind !== "received") return;
  await deps.database.autocommit((tx) => finishDisputeResponse(tx, dispute));
}
