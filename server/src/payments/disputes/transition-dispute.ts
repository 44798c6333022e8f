import type { SubmitEvidence } from "@florin/contract/dispute.ts";
import { type DisputeNotification, evidenceWindowMs } from "../../acquiring/processor.ts";
import { newId } from "../../core/ids.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { disputeTransfers, transfer } from "../ledger/posting-rules.ts";
import { type Dispute, holdsFunds, withdrawalOf } from "./dispute.ts";

/** The next state of a dispute and its charge, with the ledger entries and the event. */
export type DisputeTransition = {
  readonly dispute: Dispute;
  /** The charge after the transition. The same instance if it is unchanged. */
  readonly charge: SucceededCharge;
  readonly entries: readonly Entry[];
  readonly event: DisputeEventType | null;
};

export type DisputeEventType = "dispute.opened" | "dispute.response_rejected" | "dispute.closed";

export type DisputeContext = {
  readonly charge: SucceededCharge;
  readonly feeMinor: number;
  readonly now: Date;
};

/** Opens a dispute after the network's notification. Returns null if the charge has no amount left to dispute. */
export function openDispute(
  notification: DisputeNotification,
  context: DisputeContext,
): DisputeTransition | null {
  const { charge, now } = context;
  const amountMinor = Math.min(notification.amountMinor ?? Number.POSITIVE_INFINITY, left(charge));
  if (amountMinor <= 0) return null;
  const dispute: Dispute = {
    id: newId("dp", now),
    scope: charge.scope,
    chargeId: charge.id,
    networkCase: notification.networkCase,
    acquirerReference: notification.acquirerReference ?? null,
    version: 1,
    price: { amountMinor, currency: charge.price.currency },
    status: "needs_response",
    reason: notification.reason,
    isInquiry: true,
    evidence: null,
    evidenceDueAt: notification.evidenceDueAt ?? new Date(now.getTime() + evidenceWindowMs),
    responseDueAt: null,
    responseAttempts: 0,
    responseProblem: null,
    reversal: null,
  };
  const opened: DisputeTransition = { dispute, charge, entries: [], event: "dispute.opened" };
  return notification.isInquiry ? opened : withdraw(opened, context.feeMinor);
}

export function submitEvidence(
  dispute: Dispute,
  evidence: SubmitEvidence,
  context: DisputeContext,
): DisputeTransition {
  const { charge, now } = context;
  const submitted: Dispute = {
    ...next(dispute),
    status: "under_review",
    evidence,
    ...dueResponse(now),
  };
  return { dispute: submitted, charge, entries: [], event: null };
}

/** Accepts a dispute: schedules the response to the network and closes the dispute as lost. */
export function acceptDispute(dispute: Dispute, context: DisputeContext): DisputeTransition {
  return lose({ ...next(dispute), ...dueResponse(context.now) }, context);
}

/**
 * Applies the acquirer's rejection of the response. The merchant can correct evidence and submit it again. An accepted
 * dispute and an inquiry of a refunded charge stay closed. Returns null if the response was confirmed in the meantime.
 */
export function rejectResponse(
  dispute: Dispute,
  problem: string,
  { charge }: DisputeContext,
): DisputeTransition | null {
  if (dispute.responseDueAt === null) return null;
  const rejected = { ...next(dispute), responseDueAt: null, responseProblem: problem };
  if (dispute.status !== "under_review") {
    return { dispute: rejected, charge, entries: [], event: null };
  }
  const reopened: Dispute = { ...rejected, status: "needs_response" };
  return { dispute: reopened, charge, entries: [], event: "dispute.response_rejected" };
}

/**
 * Applies the acquirer's confirmation that the issuer received a response. If the dispute was waiting for a response,
 * the merchant responded in the acquirer's console. Returns null if the confirmation changes nothing.
 */
export function confirmResponse(
  dispute: Dispute,
  { charge }: DisputeContext,
): DisputeTransition | null {
  if (dispute.status !== "needs_response" && dispute.responseDueAt === null) return null;
  const confirmed = { ...next(dispute), responseDueAt: null, responseProblem: null };
  const status = dispute.status === "needs_response" ? "under_review" : dispute.status;
  return { dispute: { ...confirmed, status }, charge, entries: [], event: null };
}

/** Applies the network's decision. */
export function decideDispute(
  dispute: Dispute,
  outcome: "won" | "lost",
  context: DisputeContext,
): DisputeTransition {
  const decided = { ...next(dispute), responseDueAt: null };
  return outcome === "won" ? win(decided, context) : lose(decided, context);
}

/**
 * Closes an inquiry as won because its charge was fully refunded. If the network has no response yet, schedules one,
 * because the network would otherwise turn the inquiry into a chargeback at the deadline.
 */
export function closeRefunded(dispute: Dispute, context: DisputeContext): DisputeTransition {
  const response = dispute.status === "needs_response" ? dueResponse(context.now) : {};
  return win({ ...next(dispute), ...response }, context);
}

/**
 * Applies a missed deadline. A chargeback is lost. An inquiry becomes a chargeback, or is won if the charge has no
 * amount left.
 */
export function applyMissedDeadline(dispute: Dispute, context: DisputeContext): DisputeTransition {
  if (!dispute.isInquiry) return lose(next(dispute), context);
  return escalateInquiry(dispute, {}, context) ?? win(next(dispute), context);
}

/**
 * Turns an open inquiry into a chargeback, which needs a response of its own. Returns null if the charge has no amount
 * left to dispute.
 */
export function escalateInquiry(
  dispute: Dispute,
  {
    amountMinor,
    evidenceDueAt,
    reason,
  }: Pick<Partial<DisputeNotification>, "amountMinor" | "evidenceDueAt" | "reason">,
  { charge, feeMinor, now }: DisputeContext,
): DisputeTransition | null {
  if (left(charge) <= 0) return null;
  const escalated: Dispute = {
    ...next(dispute),
    price: { ...dispute.price, amountMinor: amountMinor ?? dispute.price.amountMinor },
    reason: reason ?? dispute.reason,
    status: "needs_response",
    evidenceDueAt: evidenceDueAt ?? new Date(now.getTime() + evidenceWindowMs),
    responseDueAt: null,
    responseProblem: null,
  };
  return withdraw({ dispute: escalated, charge, entries: [], event: "dispute.opened" }, feeMinor);
}

/** Returns the fields that schedule a new response. */
function dueResponse(now: Date) {
  return { responseDueAt: now, responseAttempts: 0, responseProblem: null } as const;
}

function win(dispute: Dispute, { charge, now }: DisputeContext): DisputeTransition {
  const won: Dispute = { ...dispute, status: "won" };
  if (!holdsFunds(dispute)) return { dispute: won, charge, entries: [], event: "dispute.closed" };
  const reversal = newId("txn", now);
  return {
    dispute: { ...won, reversal },
    charge: take(charge, -dispute.price.amountMinor),
    entries: [entry(dispute, reversal, [transfer("dispute_reversal", dispute.price.amountMinor)])],
    event: "dispute.closed",
  };
}

/**
 * Closes a dispute as lost. For an inquiry, the amount is debited first. If the charge has no amount left to debit, the
 * inquiry is closed as won.
 */
function lose(dispute: Dispute, context: DisputeContext): DisputeTransition {
  if (dispute.isInquiry && left(context.charge) === 0) return win(dispute, context);
  const closing: DisputeTransition = {
    dispute,
    charge: context.charge,
    entries: [],
    event: "dispute.closed",
  };
  const taken = dispute.isInquiry ? withdraw(closing, context.feeMinor) : closing;
  const { amountMinor } = taken.dispute.price;
  const loss = entry(dispute, newId("txn", context.now), [transfer("dispute_loss", amountMinor)]);
  return {
    ...taken,
    dispute: { ...taken.dispute, status: "lost" },
    entries: [...taken.entries, loss],
  };
}

/**
 * Debits our fee and the disputed amount from the merchant's balance. The amount is at most what is left of the charge.
 */
function withdraw(transition: DisputeTransition, feeMinor: number): DisputeTransition {
  const { charge, entries } = transition;
  const amountMinor = Math.min(transition.dispute.price.amountMinor, left(charge));
  const price = { ...transition.dispute.price, amountMinor };
  const dispute: Dispute = { ...transition.dispute, isInquiry: false, price };
  const transfers = disputeTransfers(amountMinor, feeMinor);
  return {
    ...transition,
    dispute,
    charge: take(charge, amountMinor),
    entries: [...entries, entry(dispute, withdrawalOf(dispute.id), transfers)],
  };
}

function entry(dispute: Dispute, id: Entry["id"], transfers: Entry["transfers"]): Entry {
  return { id, currency: dispute.price.currency, source: dispute.id, transfers };
}

function left({ capturedMinor, refundedMinor, disputedMinor }: SucceededCharge): number {
  return capturedMinor - refundedMinor - disputedMinor;
}

function take(charge: SucceededCharge, amountMinor: number): SucceededCharge {
  const disputedMinor = charge.disputedMinor + amountMinor;
  return { ...charge, version: charge.version + 1, disputedMinor };
}

function next(dispute: Dispute): Dispute {
  return { ...dispute, version: dispute.version + 1 };
}
