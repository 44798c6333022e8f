import assert from "node:assert/strict";
import type { Acquirers } from "../../acquiring/acquirers.ts";
import type { DisputeNotification } from "../../acquiring/processor.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { assertTransition } from "../../core/transitions.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import { amountsIn } from "../../identity/accounts/fees-and-limits.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import { type EventCause, type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import { lockCharge, readCharge } from "../charges/charge.sql.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";
import { amountsOf } from "../charges/charge-row.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { Transition } from "../commit/transition.ts";
import {
  disputeStep,
  listRefundedInquiries,
  newDispute,
  readDispute,
  readDisputeOfCase,
} from "./dispute.sql.ts";
import { type Dispute, disputeObject, disputeTransitions } from "./dispute.ts";
import {
  closeRefunded,
  confirmResponse,
  type DisputeContext,
  type DisputeEventType,
  type DisputeTransition,
  decideDispute,
  escalateInquiry,
  openDispute,
  rejectResponse,
} from "./transition-dispute.ts";

/** The dependencies of the operations on disputes. */
export type DisputeDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly acquirers: Acquirers;
  /** The keys that encrypt uploaded files. */
  readonly keys: KeyProvider;
  readonly wakeDeliveries: () => void;
  readonly log: {
    responseFailed(dispute: string, error: unknown): void;
    responseRejected(dispute: string, problem: string): void;
  };
};

/** The result of a notification about a dispute. */
export type DisputeNotificationResult =
  /**
   * Also returned if nothing changed: for a repeated `open`, for a chargeback after a closed inquiry, and for the
   * outcome of an unknown dispute. `dispute` is the recorded dispute, or null if there is none.
   */
  | { readonly applied: true; readonly dispute: Dispute | null }
  /**
   * The whole amount of the charge is already refunded or disputed, so no dispute was opened and no inquiry became a
   * chargeback.
   */
  | "no_amount_left"
  /** The dispute already had the outcome `decided`, and was not changed. */
  | { readonly decided: Dispute["status"] };

/**
 * Applies the network's notification that a case was opened or decided. A repeated notification changes nothing.
 */
export async function applyDisputeNotification(
  deps: DisputeDeps,
  notification: DisputeNotification,
): Promise<DisputeNotificationResult> {
  const scope = { account: notification.account, livemode: notification.livemode };
  // Checks the charge before it reads the account, because the account in the notification is known to exist only if
  // its charge exists.
  await assertPaid(deps.database.read, notification);
  const account = await deps.accounts.get(scope.account);
  const result = await deps.database.transaction(async (tx): Promise<DisputeNotificationResult> => {
    const charge = paid(await lockCharge(tx, scope, notification.charge), notification);
    const dispute = await readDisputeOfCase(tx, scope, notification.networkCase);
    const feeMinor = amountsIn(account, charge.price.currency).disputeFee;
    const context: DisputeContext = { charge, feeMinor, now: deps.clock.now() };
    if (notification.state === "open") {
      const escalates = dispute?.isInquiry && !notification.isInquiry && isOpen(dispute);
      if (dispute && !escalates) return { applied: true, dispute };
      const opened = dispute
        ? escalateInquiry(dispute, notification, context)
        : openDispute(notification, context);
      if (!opened) return "no_amount_left";
      const from = dispute?.status ?? null;
      await write(tx, charge, opened, { from, cause: null, now: context.now });
      return { applied: true, dispute: opened.dispute };
    }
    if (!dispute) return { applied: true, dispute };
    if (!isOpen(dispute)) return { decided: dispute.status };
    const decided = decideDispute(dispute, notification.state, context);
    await write(tx, charge, decided, { from: dispute.status, cause: null, now: context.now });
    return { applied: true, dispute: decided.dispute };
  });
  deps.wakeDeliveries();
  return result;
}

/**
 * Records the second chargeback of a dispute that was won: the issuer has rejected the evidence, and the acquirer has
 * debited the amount again. Records it as another dispute, which is lost from the beginning, because the events and
 * ledger entries of the first one are final. The merchant pays the dispute fee only once.
 */
export async function recordSecondChargeback(
  deps: DisputeDeps,
  first: Dispute,
  second: Pick<DisputeNotification, "networkCase" | "amountMinor">,
): Promise<DisputeNotificationResult> {
  const { scope } = first;
  const result = await deps.database.transaction(async (tx): Promise<DisputeNotificationResult> => {
    const charge = paid(await lockCharge(tx, scope, first.chargeId), first);
    const known = await readDisputeOfCase(tx, scope, second.networkCase);
    if (known) return { applied: true, dispute: known };
    const now = deps.clock.now();
    const context: DisputeContext = { charge, feeMinor: 0, now };
    const opened = openDispute(
      {
        ...second,
        account: scope.account,
        livemode: scope.livemode,
        acquirerReference: first.acquirerReference,
        charge: first.chargeId,
        reason: first.reason,
        isInquiry: false,
        evidenceDueAt: now,
        state: "open",
      },
      context,
    );
    if (!opened) return "no_amount_left";
    await write(tx, charge, opened, { from: null, cause: null, now });
    const lost = decideDispute(opened.dispute, "lost", { ...context, charge: opened.charge });
    await write(tx, opened.charge, lost, { from: opened.dispute.status, cause: null, now });
    return { applied: true, dispute: lost.dispute };
  });
  deps.wakeDeliveries();
  return result;
}

/**
 * Rejects a notification for an unknown charge, or a charge that has not succeeded yet. The network repeats a rejected
 * notification later.
 */
async function assertPaid(
  read: Sql,
  { account, livemode, charge: id }: DisputeNotification,
): Promise<void> {
  const charge = await readCharge(read, { account, livemode }, id);
  if (!charge) throw noSuchParameter("charge", id, "charge");
  if (charge.status === "succeeded") return;
  throw new ApiError(
    "status_transition_invalid",
    `The charge '${id}' is '${charge.status}', and must be 'succeeded' to be disputed.`,
    { param: "charge" },
  );
}

/**
 * Locks the charge and applies the transition that `decide` returns. If `decide` throws, nothing is written. If it
 * returns null, the dispute stays unchanged.
 */
export async function transitionDispute(
  tx: Tx,
  known: Dispute,
  context: { readonly feeMinor: number; readonly now: Date; readonly cause: EventCause | null },
  decide: (dispute: Dispute, context: DisputeContext) => DisputeTransition | null,
): Promise<Dispute> {
  const { scope, id, chargeId } = known;
  const charge = paid(await lockCharge(tx, scope, chargeId), known);
  const dispute = await readDispute(tx, scope, id);
  assert(dispute, `${id} was inserted but is missing`);
  const move = decide(dispute, { charge, feeMinor: context.feeMinor, now: context.now });
  if (!move) return dispute;
  await write(tx, charge, move, { from: dispute.status, cause: context.cause, now: context.now });
  return move.dispute;
}

/**
 * Locks the dispute's charge and returns the current dispute. The lock serializes changes of drafts and files with the
 * submission of the evidence.
 */
export async function lockDispute(tx: Tx, { scope, id, chargeId }: Dispute): Promise<Dispute> {
  await lockCharge(tx, scope, chargeId);
  const dispute = await readDispute(tx, scope, id);
  assert(dispute, `${id} was inserted but is missing`);
  return dispute;
}

/**
 * Records that the acquirer rejected the response to this version of the dispute. If the dispute has a newer version,
 * nothing is recorded, because that version has another response.
 */
export async function recordRejectedResponse(
  deps: DisputeDeps,
  dispute: Dispute,
  problem: string,
): Promise<void> {
  const context = { feeMinor: 0, now: deps.clock.now(), cause: null };
  await deps.database.transaction((tx) =>
    transitionDispute(tx, dispute, context, (current, known) =>
      current.version === dispute.version ? rejectResponse(current, problem, known) : null,
    ),
  );
  deps.wakeDeliveries();
}

/**
 * Records that the issuer has received a response. Nothing is recorded if the response was to an inquiry that has
 * become a chargeback, because the chargeback needs a response of its own.
 */
export async function recordConfirmedResponse(
  deps: DisputeDeps,
  dispute: Dispute,
  { isToInquiry }: { readonly isToInquiry: boolean },
): Promise<void> {
  const context = { feeMinor: 0, now: deps.clock.now(), cause: null };
  await deps.database.transaction((tx) =>
    transitionDispute(tx, dispute, context, (current, known) =>
      isToInquiry && !current.isInquiry ? null : confirmResponse(current, known),
    ),
  );
}

/**
 * Closes the open inquiries of a fully refunded charge. Runs in the refund's transaction, which holds the charge's
 * lock, so that a concurrent submission of evidence runs either before or after it.
 */
export async function closeRefundedInquiries(
  tx: Tx,
  charge: SucceededCharge,
  { cause, now }: { readonly cause: EventCause | null; readonly now: Date },
): Promise<void> {
  if (charge.refundedMinor < charge.capturedMinor) return;
  for (const inquiry of await listRefundedInquiries(tx, charge.scope, charge.id)) {
    const closed = closeRefunded(inquiry, { charge, feeMinor: 0, now });
    await write(tx, charge, closed, { from: inquiry.status, cause, now });
  }
}

export function isOpen({ status }: Dispute): boolean {
  return status === "needs_response" || status === "under_review";
}

type Step = {
  /** The status before the transition. Null for a new dispute. */
  readonly from: Dispute["status"] | null;
  readonly cause: EventCause | null;
  readonly now: Date;
};

/**
 * Writes the dispute, charge, ledger entries, event and deliveries in one statement. The caller must hold the charge's
 * lock.
 */
async function write(
  tx: Tx,
  before: SucceededCharge,
  move: DisputeTransition,
  step: Step,
): Promise<void> {
  const { id, status } = move.dispute;
  if (step.from !== null) assertTransition(disputeTransitions, id, step.from, status);
  const recorded = await commitTransition(tx, disputeTransition(before, move, step));
  assert(recorded, `${id} changed under its charge's lock`);
}

/** Returns the transition to a dispute's next state. `before` is the charge before the transition. */
export function disputeTransition(
  before: SucceededCharge,
  { dispute, charge, entries, event }: DisputeTransition,
  step: Step,
): Transition<"newDispute" | "disputeStep"> {
  return {
    scope: dispute.scope,
    change: step.from === null ? newDispute(dispute, step.now) : disputeStep(dispute, step.now),
    charge: charge === before ? null : amountsOf(charge),
    entries,
    events: event ? [disputeEvent(dispute, event, step)] : [],
  };
}

function disputeEvent(dispute: Dispute, type: DisputeEventType, { cause, now }: Step): NewEvent {
  return renderEvent({
    id: newId("evt", now),
    type,
    scope: dispute.scope,
    cause,
    objectId: dispute.id,
    object: JSON.stringify(disputeObject(dispute)),
  });
}

/** Returns the charge. Throws if it does not exist or has not succeeded. */
function paid(charge: Charge | null, about: object): SucceededCharge {
  if (charge?.status === "succeeded") return charge;
  throw new Error(
    `The dispute is about a payment that does not exist or has not succeeded: ${JSON.stringify(about)}`,
  );
}
