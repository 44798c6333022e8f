import { idFromUuid, uuidOf } from "../../core/ids.ts";
import {
  bigints,
  booleans,
  integers,
  jsons,
  rowsOf,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { fragment, type Tx } from "../../platform/database/sql.ts";
import type { Answer } from "../../platform/http/route.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import { outbox } from "../../webhooks/events/outbox.sql.ts";
import type { DeliveryLease, QueuedDelivery } from "../../webhooks/events/queued-delivery.ts";
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

/** The result of recording a transition. */
export type FinalizeResult = {
  /** False if the charge has changed since it was read. Nothing was written then. */
  readonly recorded: boolean;
  /** The deliveries inserted for its events. */
  readonly deliveries: readonly QueuedDelivery[];
};

/**
 * Records a batch of charge transitions: charge, ledger, events, webhook deliveries, session and stored response.
 *
 * `lease` is that of the deliveries (see `outbox`).
 *
 * All statements after the first update use the rows that it returned and not the input, so that a charge that another
 * writer changed first writes nothing twice.
 */
export async function finalizeCharges(
  tx: Tx,
  asked: ChargeOutcome[],
  lease: DeliveryLease | null,
): Promise<FinalizeResult[]> {
  const outcomes = firstOfEachCharge(asked);
  const inSessions = outcomes.some(({ session }) => session !== null);
  const inReview = outcomes.some(({ review }) => review !== null);
  const input = rowsOf({
    account_id: uuids(outcomes, ({ charge }) => charge.owner.account),
    livemode: booleans(outcomes, ({ charge }) => charge.owner.livemode),
    id: uuids(outcomes, ({ charge }) => charge.id),
    version: integers(outcomes, ({ charge }) => charge.version),
    status: texts(outcomes, ({ charge }) => charge.status),
    pending_reason: texts(outcomes, ({ charge }) =>
      charge.status === "processing" ? charge.pendingReason : null,
    ),
    amount_captured: bigints(outcomes, ({ charge }) =>
      charge.status === "succeeded" ? charge.capturedMinor : 0,
    ),
    capture_before: timestamps(outcomes, ({ charge }) =>
      charge.status === "authorized" ? charge.captureBefore : null,
    ),
    reversal_pending: booleans(
      outcomes,
      ({ charge }) => charge.status === "processing" && charge.reversalPending,
    ),
    checks: jsons(outcomes, ({ charge }) => charge.checks),
    three_d_secure: jsons(outcomes, ({ charge }) => charge.threeDSecure),
    failure_code: texts(outcomes, ({ charge }) =>
      charge.status === "failed" ? charge.failure.code : null,
    ),
    decline_code: texts(outcomes, ({ charge }) =>
      charge.status === "failed" ? charge.failure.declineCode : null,
    ),
    network_decline_code: texts(outcomes, ({ charge }) =>
      charge.status === "failed" ? charge.failure.networkDeclineCode : null,
    ),
    inquiries: smallints(outcomes, ({ charge }) => charge.inquiries),
    due_at: timestamps(outcomes, ({ dueAt }) => dueAt),
    finalized_at: timestamps(outcomes, ({ charge }) =>
      "finalizedAt" in charge ? charge.finalizedAt : null,
    ),
    entry_id: uuids(outcomes, ({ charge }) => balanceTransactionIdOf(charge.id)),
    kind_1: texts(outcomes, ({ transfers }) => transfers[0]?.kind),
    debit_1: texts(outcomes, ({ transfers }) => transfers[0]?.debit),
    credit_1: texts(outcomes, ({ transfers }) => transfers[0]?.credit),
    amount_1: bigints(outcomes, ({ transfers }) => transfers[0]?.amountMinor),
    kind_2: texts(outcomes, ({ transfers }) => transfers[1]?.kind),
    debit_2: texts(outcomes, ({ transfers }) => transfers[1]?.debit),
    credit_2: texts(outcomes, ({ transfers }) => transfers[1]?.credit),
    amount_2: bigints(outcomes, ({ transfers }) => transfers[1]?.amountMinor),
    event_id: uuids(outcomes, ({ event }) => event?.id),
    event_type: texts(outcomes, ({ event }) => event?.type),
    event_body: texts(outcomes, ({ event }) => event?.body),
    answer_status: smallints(outcomes, ({ answer }) => answer.status),
    answer_body: texts(outcomes, ({ answer, answerIsInEvent }) =>
      answerIsInEvent ? null : answer.body,
    ),
    ...(inSessions ? sessionColumns(outcomes) : {}),
    ...(inReview ? reviewColumns(outcomes) : {}),
  });
  const rows = await tx<FinalizedRow>`
    with finalized as (
      update charges c
         set status = i.status, pending_reason = i.pending_reason, reversal_pending = i.reversal_pending, version = i.version,
             amount_captured = i.amount_captured, capture_before = i.capture_before, checks = i.checks,
             three_d_secure = i.three_d_secure, failure_code = i.failure_code, decline_code = i.decline_code,
             network_decline_code = i.network_decline_code, inquiries = i.inquiries,
             due_at = i.due_at, finalized_at = i.finalized_at,
             -- Release the claim of a charge that stays pending. An inquiry can claim it when it is due.
             claimed_by = case when i.pending_reason is null then c.claimed_by else 0 end
        from ${input} as i
       where c.account_id = i.account_id and c.livemode = i.livemode and c.id = i.id
         and c.version = i.version - 1
         and c.status in ('processing', 'requires_action')
      returning c.currency, c.checkout_session_id, c.idempotency_key,
                ${inSessions ? fragment`c.customer_id, c.payment_method_id,` : nothing} i.*
    ),
    posted as (
      insert into ledger_transfers (
        account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id
      )
      select s.account_id, s.livemode, s.entry_id, t.line, t.kind, t.debit::ledger_account,
             t.credit::ledger_account, t.amount, s.currency, s.id
        from finalized s
       cross join lateral (values
         (1, s.kind_1, s.debit_1, s.credit_1, s.amount_1),
         (2, s.kind_2, s.debit_2, s.credit_2, s.amount_2)
       ) as t (line, kind, debit, credit, amount)
       where t.amount is not null
    ),
    ${outbox(fragment`${inSessions ? bothEvents : chargeEvent}${inReview ? reviewEvent : nothing}`, lease)},
    ${inSessions ? releasedSessions : nothing}
    answered as (
      update idempotency_keys k
         set status_code = s.answer_status, answer = s.answer_body,
             event_id = case when s.answer_body is null then s.event_id end
        from finalized s
       where k.account_id = s.account_id and k.livemode = s.livemode and k.key = s.idempotency_key
         and k.charge_id = s.id and k.status_code is null
    )
    select id as charge_id, null::uuid as delivery_id, null::uuid as event_id, null::uuid as endpoint_id, false as leased
      from finalized
     union all
    select null, id, event_id, endpoint_id, leased
      from queued
  `;
  const moved = new Set(rows.map((row) => row.charge_id));
  const recorded = new Set(outcomes.filter(({ charge }) => moved.has(uuidOf(charge.id))));
  const queued = Map.groupBy(rows, (row) => row.event_id);
  return asked.map((outcome) => ({
    recorded: recorded.has(outcome),
    deliveries: [outcome.event, outcome.session?.event ?? null, outcome.review].flatMap((made) =>
      made ? (queued.get(uuidOf(made.id)) ?? []).map((row) => toQueued(row, made, lease)) : [],
    ),
  }));
}

/**
 * Keeps the first transition of each charge in a batch and reports the others as late, for example a response and a
 * notice for the same charge. The statement alone would record one of them without reporting which.
 */
function firstOfEachCharge(asked: readonly ChargeOutcome[]): ChargeOutcome[] {
  const taken = new Set<string>();
  return asked.filter(({ charge }) => {
    if (taken.has(charge.id)) return false;
    taken.add(charge.id);
    return true;
  });
}

const chargeEvent = fragment`
      select account_id, livemode, event_id, event_type, id, event_body
        from finalized
       where event_id is not null`;

const bothEvents = fragment`
      select s.account_id, s.livemode, e.id, e.type, e.object_id, e.body
        from finalized s
       cross join lateral (values
         (s.event_id, s.event_type, s.id, s.event_body),
         (s.session_event_id, s.session_event_type, s.checkout_session_id, s.session_event_body)
       ) as e (id, type, object_id, body)
       where e.id is not null`;

// The event is about the decision, which has the charge's UUID.
const reviewEvent = fragment`
     union all
      select account_id, livemode, review_event_id, 'decision.review_opened', id, review_event_body
        from finalized
       where review_event_id is not null`;

function reviewColumns(outcomes: readonly ChargeOutcome[]) {
  return {
    review_event_id: uuids(outcomes, ({ review }) => review?.id),
    review_event_body: texts(outcomes, ({ review }) => review?.body),
  };
}

const releasedSessions = fragment`
    released as (
      update checkout_sessions c
         set status = s.session_status, payment_status = s.session_payment_status,
             last_payment_error = s.session_error, version = c.version + 1
        from finalized s
       where s.session_status is not null
         and c.account_id = s.account_id and c.livemode = s.livemode and c.id = s.checkout_session_id
         and c.charge_id = s.id
    ),
    -- A card whose holder agreed to it is saved by the first payment that succeeds. The customer is locked against a
    -- concurrent deletion, which erases the cards that are saved when it runs and would not see this one.
    saved as (
      update payment_methods p
         set customer_id = s.customer_id, network_transaction_id = s.network_transaction_id
        from finalized s
       where s.status in ('authorized', 'succeeded') and s.network_transaction_id is not null
         and p.account_id = s.account_id and p.livemode = s.livemode and p.id = s.payment_method_id
         and p.consented_at is not null and p.customer_id is null and p.detached_at is null
         and exists (
           select from customers u
            where u.account_id = s.account_id and u.livemode = s.livemode and u.id = s.customer_id
              and u.deleted_at is null
              for share
         )
    ),
`;

function sessionColumns(outcomes: readonly ChargeOutcome[]) {
  return {
    session_status: texts(outcomes, ({ session }) => session?.status),
    session_payment_status: texts(outcomes, ({ session }) => session?.paymentStatus),
    session_error: jsons(outcomes, ({ session }) => session?.lastPaymentError),
    session_event_id: uuids(outcomes, ({ session }) => session?.event?.id),
    session_event_type: texts(outcomes, ({ session }) => session?.event?.type),
    session_event_body: texts(outcomes, ({ session }) => session?.event?.body),
    network_transaction_id: texts(outcomes, ({ charge }) => charge.networkTransactionId),
  };
}

/** A recorded charge or an inserted delivery. */
type FinalizedRow = {
  charge_id: string | null;
  delivery_id: string | null;
  event_id: string | null;
  endpoint_id: string | null;
  leased: boolean;
};

function toQueued(row: FinalizedRow, event: NewEvent, lease: DeliveryLease | null): QueuedDelivery {
  return {
    id: idFromUuid("whd", row.delivery_id as string),
    endpointId: idFromUuid("we", row.endpoint_id as string),
    event,
    leasedUntil: lease && row.leased ? lease.until : null,
  };
}

const nothing = fragment``;
