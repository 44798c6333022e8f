import type { Tx } from "../../platform/database/sql.ts";
import type { Answer } from "../../platform/http/route.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import type { DeliveryLease } from "../../webhooks/events/queued-delivery.ts";
import { type Committed, commitCharges } from "../commit/commit-transitions.sql.ts";
import type { Change, SavedCard, Transition } from "../commit/transition.ts";
import type { Transfer } from "../ledger/recipes.ts";
import { balanceTransactionIdOf, type Charge } from "./charge.ts";
import type { SessionTransition } from "./charged-session.ts";

/** The rows that are written together with a charge's transition. */
export type ChargeOutcome = {
  /** The charge after the transition. Its version is one more than before. */
  readonly charge: Charge;
  /** The time at which the charge is processed next, or null if it has ended or needs manual review. */
  readonly dueAt: Date | null;
  /** The charge amount and our fee. Empty if no money moves. */
  readonly transfers: readonly [] | readonly [Transfer] | readonly [Transfer, Transfer];
  readonly event: NewEvent | null;
  readonly session: SessionTransition | null;
  /** `decision.review_opened`, if the charge is held for manual review. */
  readonly review: NewEvent | null;
  /** The response to the request that created the charge, stored for its idempotency key. */
  readonly answer: Answer;
  /**
   * True if the response body is the event's object. It is then not written twice, and a replay reads it from the
   * event.
   */
  readonly answerIsInEvent: boolean;
};

/**
 * Commits a batch of charge outcomes: charge, ledger, events, webhook deliveries, session, saved card and stored
 * response. `lease` is that of the deliveries (see `outbox`).
 */
export function finalizeCharges(
  tx: Tx,
  outcomes: readonly ChargeOutcome[],
  lease: DeliveryLease | null,
): Promise<Committed[]> {
  return commitCharges(tx, outcomes.map(transitionOf), lease);
}

function transitionOf(outcome: ChargeOutcome): Transition<"chargeOutcome"> {
  const { charge, transfers, event, session, review, answer, answerIsInEvent } = outcome;
  const { owner, id, version, price, checkoutSessionId } = charge;
  return {
    owner,
    change: { kind: "chargeOutcome", id, version, row: rowOf(outcome) },
    entries:
      transfers.length === 0
        ? []
        : [{ id: balanceTransactionIdOf(id), currency: price.currency, source: id, transfers }],
    // The charge's own event is the first, because the stored response may refer to it.
    events: [event, session?.event ?? null, review].filter((one) => one !== null),
    session: session && checkoutSessionId && { id: checkoutSessionId, ...session },
    savedCard: session && savedCardOf(charge),
    response: { status: answer.status, body: answerIsInEvent ? null : answer.body },
  };
}

function rowOf({ charge, dueAt }: ChargeOutcome): Change<"chargeOutcome">["row"] {
  const failure = charge.status === "failed" ? charge.failure : null;
  return {
    status: charge.status,
    pending_reason: charge.status === "processing" ? charge.pendingReason : null,
    reversal_pending: charge.status === "processing" && charge.reversalPending,
    amount_captured: charge.status === "succeeded" ? charge.capturedMinor : 0,
    capture_before: charge.status === "authorized" ? charge.captureBefore : null,
    checks: charge.checks,
    three_d_secure: charge.threeDSecure,
    failure_code: failure?.code ?? null,
    decline_code: failure?.declineCode ?? null,
    network_decline_code: failure?.networkDeclineCode ?? null,
    inquiries: charge.inquiries,
    due_at: dueAt,
    finalized_at: "finalizedAt" in charge ? charge.finalizedAt : null,
  };
}

/** Returns the card that this payment saves, if its cardholder has agreed to that. */
function savedCardOf(charge: Charge): SavedCard | null {
  const { status, paymentMethodId, customerId, networkTransactionId } = charge;
  const isApproved = status === "authorized" || status === "succeeded";
  if (!isApproved || customerId === null || networkTransactionId === null) return null;
  return { paymentMethodId, customerId, networkTransactionId };
}
