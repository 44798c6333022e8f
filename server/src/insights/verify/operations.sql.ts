import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import {
  type CheckOptions,
  describe,
  type Found,
  isWithinEventRetention,
  limitExamples,
  mergeFound,
  stateText,
} from "./check.ts";

const charge = (uuid: string): string => idFromUuid("ch", uuid);
const operation = (uuid: string): string => idFromUuid("op", uuid);

/**
 * Finds operations whose state or amount differs from the acquirer's, unless an inquiry is still due. A refund that
 * failed late may still be `succeeded` in our records until the acquirer's notification arrives.
 */
export async function findOperationsUnlikeTheAcquirer(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    kind: string | null;
    amount: number;
    currency: string;
    status: string;
    acquirer_kind: string | null;
    acquirer_amount: number;
    acquirer_currency: string;
    acquirer_state: string;
  }>`
    with acquirer as (
      select merchant, reference, authorization_reference, kind, amount, currency,
             case when pending_outcome is not null and notify_at <= now() then pending_outcome else state end as state
        from simulator.operations
    ),
    own as (
      select account_id, id, charge_id, kind, status, amount, currency from operations where not livemode
    )
    select count(*) over () as total, coalesce(o.id, t.reference) as id,
           o.kind, o.amount, o.currency, o.status, t.kind as acquirer_kind, t.amount as acquirer_amount,
           t.currency as acquirer_currency, t.state as acquirer_state
      from own o
      full join acquirer t on t.merchant = o.account_id and t.reference = o.id
     where case
             when o.id is null then true
             when t.reference is null then o.status <> 'processing'
             when t.kind <> o.kind or t.amount <> o.amount or t.currency <> o.currency
                  or t.authorization_reference <> o.charge_id then true
             -- A refund that failed late stays succeeded until the acquirer's notification arrives.
             when o.status = 'succeeded' then t.state = 'pending' or (t.state = 'declined' and t.kind <> 'refund')
             when o.status = 'failed' then t.state <> 'declined'
             else false
           end
     ${limitExamples}
  `;
  return describe(rows, (row) => {
    const here =
      row.kind === null
        ? "missing"
        : `${row.kind} of ${moneyText(row.amount, row.currency)}, ${row.status}`;
    const atAcquirer =
      row.acquirer_kind === null
        ? "missing"
        : `${row.acquirer_kind} of ${moneyText(row.acquirer_amount, row.acquirer_currency)}, ${row.acquirer_state}`;
    return `${operation(row.id)} is ${here} in Florin, but ${atAcquirer} at the acquirer.`;
  });
}

/**
 * Finds charges whose captured and refunded amounts differ from their operations, and charges without the operations
 * that they must have.
 */
export async function findChargesUnlikeTheirOperations(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    currency: string;
    captured: number;
    refunded: number;
    has_operations: boolean;
    captures_sum: number | null;
    refunds_sum: number;
  }>`
    with done as (
      select account_id, livemode, charge_id,
             max(amount) filter (where kind = 'capture' and status = 'succeeded') as captured,
             count(*) filter (where kind in ('capture', 'void') and status = 'succeeded') as ends,
             coalesce(sum(amount) filter (where kind = 'refund' and status <> 'failed'), 0)::bigint as refunded
        from operations
       group by account_id, livemode, charge_id
    )
    select count(*) over () as total, c.id, c.currency, c.amount_captured as captured,
           c.amount_refunded as refunded, true as has_operations, d.captured as captures_sum,
           d.refunded as refunds_sum
      from charges c
      join done d on d.account_id = c.account_id and d.livemode = c.livemode and d.charge_id = c.id
     where d.refunded <> c.amount_refunded or d.ends > 1 or d.captured <> c.amount_captured
        or (d.ends > 0 and c.status = 'authorized')
    union all
    select count(*) over (), c.id, c.currency, c.amount_captured, c.amount_refunded, false, null, 0
      from charges c
     where (c.amount_refunded > 0 or (c.status = 'succeeded' and (c.capture_method = 'manual' or c.decision_outcome = 'review')))
       and not exists (
         select from operations o
          where o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
       )
     ${limitExamples}
  `;
  return describe(rows, ({ id, currency, has_operations, ...amounts }) => {
    const text = (minor: number) => moneyText(minor, currency);
    const totals = `captured ${text(amounts.captured)} and refunded ${text(amounts.refunded)}`;
    if (!has_operations) return `${charge(id)} has ${totals}, but no operation.`;
    const capture =
      amounts.captures_sum === null ? "no capture" : `captured ${text(amounts.captures_sum)}`;
    return `${charge(id)} has ${totals}, but its operations have ${capture} and refunded ${text(amounts.refunds_sum)}.`;
  });
}

/**
 * Finds refunds that are not posted correctly. The amount must be withdrawn once. It must be returned once if the
 * refund failed later.
 */
export async function findRefundsNotPosted(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string | null;
    currency: string;
    posted: number;
  }>`
    with posted as (
      select account_id, livemode, source_id, min(currency) as currency,
             coalesce(sum(amount) filter (where kind = 'refund'), 0)::bigint as given,
             coalesce(sum(amount) filter (where kind = 'refund_failure'), 0)::bigint as returned
        from ledger_transfers
       where kind in ('refund', 'refund_failure')
       group by account_id, livemode, source_id
    )
    select count(*) over () as total, coalesce(o.id, p.source_id) as id, o.status,
           coalesce(p.currency, o.currency) as currency, coalesce(p.given - p.returned, 0)::bigint as posted
      from (select * from operations where kind = 'refund') o
      full join posted p on p.account_id = o.account_id and p.livemode = o.livemode and p.source_id = o.id
     where o.id is null
        or coalesce(p.given, 0) <>
           case when o.status = 'succeeded' or o.failure_entry_id is not null then o.amount else 0 end
        or coalesce(p.returned, 0) <> case when o.failure_entry_id is not null then o.amount else 0 end
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, currency, posted }) =>
      `${idFromUuid("re", id)} ${stateText(status)}, but the ledger has ${moneyText(posted, currency)}.`,
  );
}

/** Finds refunds without exactly one event for each final state that they reached. */
export async function findRefundsAnnouncedWrongly(
  read: Sql,
  options: CheckOptions,
): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string | null;
    announced: string | null;
  }>`
    with announced as (
      select account_id, livemode, object_id,
             count(*) filter (where type = 'refund.succeeded') as succeeded,
             count(*) filter (where type = 'refund.failed') as failed,
             string_agg(type, ', ' order by id) as all
        from events
       where type in ('refund.succeeded', 'refund.failed')
       group by account_id, livemode, object_id
    )
    select count(*) over () as total, coalesce(o.id, a.object_id) as id,
           o.status, a.all as announced
      from (select * from operations where kind = 'refund') o
      full join announced a
        on a.account_id = o.account_id and a.livemode = o.livemode and a.object_id = o.id
     where (o.id is null
            or coalesce(a.succeeded, 0) <>
               (o.status = 'succeeded' or o.failure_entry_id is not null)::integer
            or coalesce(a.failed, 0) <> (o.status = 'failed')::integer)
       and ${isWithinEventRetention(fragment`coalesce(o.id, a.object_id)`, options)}
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status, announced }) =>
      `${idFromUuid("re", id)} ${stateText(status)}, but its events are: ${announced ?? "none"}.`,
  );
}

/** Finds operations whose inquiry is overdue or missing, and authorizations past their capture deadline. */
export async function findStuckOperations(read: Sql, stuckAfterMs: number): Promise<Found> {
  const rows = await read<{ total: number; id: string; kind: string; since: Date | null }>`
    select count(*) over () as total, id, kind, due_at as since
      from operations
     where status = 'processing'
       and case when due_at is null then pending_reason is distinct from 'manual_review'
                else due_at < now() - make_interval(secs => ${stuckAfterMs / 1000}) end
     ${limitExamples}
  `;
  const late = await read<{ total: number; id: string; since: Date }>`
    select count(*) over () as total, c.id, c.capture_before as since
      from charges c
     where c.status = 'authorized' and c.pending_reason is null
       and c.capture_before < now() - make_interval(secs => ${stuckAfterMs / 1000})
     ${limitExamples}
  `;
  return mergeFound(
    describe(rows, ({ id, kind, since }) =>
      since === null
        ? `${operation(id)}, a ${kind}, is processing, but has no due time.`
        : `${operation(id)}, a ${kind}, has been due since ${since.toISOString()}.`,
    ),
    describe(
      late,
      ({ id, since }) => `${charge(id)} is authorized, but expired on ${since.toISOString()}.`,
    ),
  );
}
