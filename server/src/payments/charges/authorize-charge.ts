import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type { Processor } from "../../acquiring/processor.ts";
import type { ChargeableMethod } from "../../cards/payment-methods/payment-methods.ts";
import type { AssignmentId } from "../../core/ids.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import {
  type Cardholder,
  lacksCardholderEvidence,
  neverHappened,
  sendAuthorization,
} from "./call-acquirer.ts";
import { readCharge } from "./charge.sql.ts";
import type { ProcessingCharge } from "./charge.ts";
import { type FailedAttempt, insertAttempt } from "./charge-attempt.sql.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { assignmentOf } from "./charge-row.ts";
import { dueAt } from "./inquiry-schedule.ts";
import { writeThrough } from "./record-charge.ts";

/** The charge as last sent to an acquirer, and the outcome of that attempt. */
export type SentCharge = {
  readonly charge: ProcessingCharge;
  readonly outcome: AuthorizationOutcome;
};

/**
 * Another attempt may start only within this time after the start of the first. The acquirer has up to 20 s to respond,
 * so a merchant's request takes at most 28 s.
 */
const failoverWithinMs = 8_000;

/**
 * Sends the authorization request. If the acquirer certainly has not processed it, sends it over the merchant's next
 * connection. Never sends it twice while the outcome of an attempt is unknown (docs/operating/adyen.md, "Failover").
 */
export async function authorizeCharge(
  deps: ChargeDeps,
  processor: Processor,
  charge: ProcessingCharge,
  method: ChargeableMethod,
  cardholder: Cardholder = {},
): Promise<SentCharge> {
  const startedAt = deps.clock.now().getTime();
  // Takes the security code from the vault once. It stays in memory until the last attempt has ended.
  const card = method.forAuthorization();
  if (lacksCardholderEvidence(charge, method, card, cardholder)) {
    return { charge, outcome: neverHappened };
  }
  const payment = { card, purpose: method.purpose };
  const tried: AssignmentId[] = [];
  let current = charge;
  let acquirer = processor;
  for (;;) {
    const outcome = await sendAuthorization(acquirer, current, payment, cardholder);
    const failed = failedAttempt(current, outcome);
    const now = deps.clock.now();
    if (!failed || now.getTime() - startedAt > failoverWithinMs) {
      return { charge: current, outcome };
    }
    tried.push(failed.assignmentId);
    const routed = { ...current.card, isNetworkToken: card.networkToken !== undefined };
    const next = deps.acquirers.chooseNext(current.scope, current.price, routed, tried);
    const moved = next && (await moveCharge(deps, current, next, { ...failed, endedAt: now }));
    if (!moved) return { charge: current, outcome };
    deps.log.failedOver(moved.id, outcome);
    current = moved;
    acquirer = next;
  }
}

/**
 * Returns the failed attempt if another acquirer may process the charge. This is the case if this acquirer certainly
 * has not processed it, for a reason that need not apply to another acquirer. Returns null for any other outcome.
 */
function failedAttempt(
  { assignmentId }: ProcessingCharge,
  outcome: AuthorizationOutcome,
): Omit<FailedAttempt, "endedAt"> | null {
  if (assignmentId === null) return null;
  if (outcome.kind === "not_sent") {
    return { assignmentId, outcome: "not_sent", reason: null, acquirerErrorCode: null };
  }
  if (outcome.kind !== "rejected") return null;
  const { why, acquirerErrorCode } = outcome;
  switch (why) {
    case "credentials":
    case "rate_limited":
    case "amount_not_representable":
      return { assignmentId, outcome: "rejected", reason: why, acquirerErrorCode };
    case "invalid_request":
    case "card_data":
      return null;
  }
}

/**
 * Moves the charge to another assignment before the request is sent there. After a crash, the outcome is therefore
 * looked up at the acquirer that may have received the request. Returns null if another writer has changed the charge.
 */
async function moveCharge(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  { name, assignmentId }: Processor,
  failed: FailedAttempt,
): Promise<ProcessingCharge | null> {
  const moved = { ...charge, version: charge.version + 1, processor: name, assignmentId };
  const change = assignmentOf(moved, dueAt(moved, failed.endedAt, 0));
  const isMoved = await writeThrough(() =>
    deps.database.transaction(async (tx) => {
      if (!(await commitTransition(tx, { scope: charge.scope, change }))) return false;
      await insertAttempt(tx, charge, failed);
      return true;
    }),
  );
  return isMoved || (await wasMoved(deps, moved)) ? moved : null;
}

/** Returns whether an earlier commit moved the charge although the reply to that commit was lost. */
async function wasMoved(
  { database }: ChargeDeps,
  { id, scope, version, assignmentId }: ProcessingCharge,
): Promise<boolean> {
  const stored = await readCharge(database.read, scope, id);
  return stored?.version === version && stored.assignmentId === assignmentId;
}
