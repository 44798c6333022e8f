import { firstUuidAt, idFromUuid, uuidOf } from "../core/ids.ts";
import type { Currency } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import { type Fragment, fragment, type Sql } from "../platform/database/sql.ts";
import type { Noun, ReconciledObject, Side } from "./reconciled-object.ts";

/** The period in which all objects are compared. */
export type Window = {
  readonly now: Date;
  readonly from: Date;
  /** The end of the newest file. Objects that were created later are not compared. */
  readonly until: Date;
  /** Transactions at or after this time may be in the next file instead of the newest one. */
  readonly settledBefore: Date;
};

/**
 * Returns the charges for which the acquirer's files, the payments, the ledger and the events differ. The amount of a
 * charge that succeeded and whose capture failed later is zero. Uses a single statement, which sees one snapshot.
 * Charges that agree, which are nearly all, are filtered out in Postgres.
 */
export async function listDifferingCharges(
  read: Sql,
  scope: Scope,
  window: Window,
): Promise<ReconciledObject[]> {
  const begun = firstUuidAt(window.from);
  const ended = firstUuidAt(window.until);
  const scoped = inScope(scope);
  const rows = await read<Row>`
    with subject as materialized (
      select id from charges where ${scoped} and id >= ${begun} and id < ${ended} and amount_captured > 0
       union
      select entry_id from ledger_transfers
       where ${scoped} and entry_id >= ${begun} and entry_id < ${ended} and kind = 'charge'
       union
      ${withLinesOrOpenDifference(scope, "charge", window)}
    ),
    ${acquirerSums(scope, "charge")},
    emitted as (
      select object_id as id, bool_or(type = 'payment.succeeded') as paid,
             bool_or(type = 'payment.capture_failed') as taken_back,
             bool_or(id >= ${firstUuidAt(window.settledBefore)}) as lately
        from events
       where ${scoped} and id >= ${begun} 
         and type in ('payment.succeeded', 'payment_failed', 'payment.canceled', 'payment.capture_failed')
       group by object_id
    )
    select s.id, s.id as reference,
           c.status as state, c.amount_captured as amount, c.currency,
           ${acquirerAndLedgerColumns},
           not (${unannouncedCharge(begun)}) as announced,
           c.pending_reason is distinct from 'manual_review'
             and (c.status in ('processing', 'requires_action')
                  or (c.status = 'authorized' and exists (
                        select from operations o
                         where o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
                           and o.kind = 'capture' and o.status = 'processing'))) as undecided,
           coalesce(c.finalized_at >= ${window.settledBefore}, false) or coalesce(emitted.lately, false) as just_moved
      from subject s
      left join charges c on c.account_id = ${uuidOf(scope.account)} and c.livemode = ${scope.livemode} and c.id = s.id
      left join theirs t on t.id = s.id
      left join lateral (
        select sum(case when kind = 'charge' then amount else -amount end) as amount, min(currency) as currency
          from ledger_transfers
         where ${scoped} and entry_id in (s.id, c.failure_entry_id) and kind in ('charge', 'charge_failure')
      ) l on true
      left join emitted on emitted.id = s.id
     where ${amountsDiffer(fragment`c.id`, fragment`c.amount_captured`, fragment`c.currency`)}
        or ${unannouncedCharge(begun)}
     order by s.id
  `;
  return rows.map((row) => toReconciledObject("charge", row));
}

function unannouncedCharge(begun: string): Fragment {
  return fragment`coalesce(c.id >= ${begun}
               and ((c.status = 'succeeded' and not coalesce(emitted.paid, false))
                    or (c.failure_entry_id is not null and not coalesce(emitted.taken_back, false))), false)`;
}

/**
 * Returns the refunds for which the sides differ. The acquirer identifies a refund by its operation. The amount of a
 * refund that failed after it had succeeded is zero.
 */
export async function listDifferingRefunds(
  read: Sql,
  scope: Scope,
  window: Window,
): Promise<ReconciledObject[]> {
  const begun = firstUuidAt(window.from);
  const ended = firstUuidAt(window.until);
  const scoped = inScope(scope);
  const amount = fragment`case when o.status = 'succeeded' then -o.amount else 0 end`;
  const rows = await read<Row>`
    with subject as materialized (
      select id from operations
       where ${scoped} and id >= ${begun} and id < ${ended} and kind = 'refund' and status <> 'processing'
       union
      select entry_id from ledger_transfers
       where ${scoped} and entry_id >= ${begun} and entry_id < ${ended} and kind = 'refund'
       union
      ${withLinesOrOpenDifference(scope, "refund", window)}
    ),
    ${acquirerSums(scope, "refund")},
    emitted as (
      select object_id as id, bool_or(type = 'refund.succeeded') as succeeded, bool_or(type = 'refund.failed') as failed,
             bool_or(id >= ${firstUuidAt(window.settledBefore)}) as lately
        from events
       where ${scoped} and id >= ${begun} and type in ('refund.succeeded', 'refund.failed')
       group by object_id
    )
    select s.id, s.id as reference,
           o.status as state, ${amount} as amount, o.currency,
           ${acquirerAndLedgerColumns},
           not (${unannouncedRefund(begun)}) as announced,
           o.status = 'processing' and o.pending_reason is distinct from 'manual_review' as undecided,
           coalesce(emitted.lately, false) as just_moved
      from subject s
      left join operations o
        on o.account_id = ${uuidOf(scope.account)} and o.livemode = ${scope.livemode} and o.id = s.id and o.kind = 'refund'
      left join theirs t on t.id = s.id
      left join lateral (
        select sum(case when kind = 'refund' then -amount else amount end) as amount, min(currency) as currency
          from ledger_transfers
         where ${scoped} and entry_id in (s.id, o.failure_entry_id) and kind in ('refund', 'refund_failure')
      ) l on true
      left join emitted on emitted.id = s.id
     where ${amountsDiffer(fragment`o.id`, amount, fragment`o.currency`)}
        or ${unannouncedRefund(begun)}
     order by s.id
  `;
  return rows.map((row) => toReconciledObject("refund", row));
}

function unannouncedRefund(begun: string): Fragment {
  return fragment`coalesce(o.id >= ${begun}
               and ((o.status = 'succeeded' and not coalesce(emitted.succeeded, false))
                    or (o.status = 'failed' and not coalesce(emitted.failed, false))), false)`;
}

/**
 * Returns the disputes for which the sides differ. The acquirer identifies a dispute by the network's case number. The
 * amount of a dispute inquiry, which precedes a chargeback, is zero, because no money has moved.
 */
export async function listDifferingDisputes(
  read: Sql,
  scope: Scope,
  window: Window,
): Promise<ReconciledObject[]> {
  const begun = firstUuidAt(window.from);
  const ended = firstUuidAt(window.until);
  const scoped = inScope(scope);
  const amount = fragment`case when not d.is_inquiry and d.status <> 'won' then -d.amount else 0 end`;
  const rows = await read<Row>`
    with subject as materialized (
      select network_case as id from disputes
       where ${scoped} and id >= ${begun} and id < ${ended} and not is_inquiry
       union
      select coalesce(d.network_case, t.entry_id)
        from ledger_transfers t
        left join disputes d on d.account_id = t.account_id and d.livemode = t.livemode and d.id = t.entry_id
       where t.account_id = ${uuidOf(scope.account)} and t.livemode = ${scope.livemode}
         and t.entry_id >= ${begun} and t.entry_id < ${ended} and t.kind = 'dispute'
       union
      ${withLinesOrOpenDifference(scope, "dispute", window)}
    ),
    ${acquirerSums(scope, "dispute")},
    emitted as (
      select object_id as id, bool_or(type = 'dispute.opened') as opened, bool_or(type = 'dispute.closed') as closed,
             bool_or(id >= ${firstUuidAt(window.settledBefore)}) as lately
        from events
       where ${scoped} and id >= ${begun} and type in ('dispute.opened', 'dispute.closed')
       group by object_id
    )
    select s.id, coalesce(d.id, s.id) as reference,
           d.status as state, ${amount} as amount, d.currency,
           ${acquirerAndLedgerColumns},
           not (${unannouncedDispute(begun)}) as announced,
           d.response_due_at is not null or coalesce(d.due_at <= ${window.now}, false) as undecided,
           coalesce(emitted.lately, false) as just_moved
      from subject s
      left join disputes d
        on d.account_id = ${uuidOf(scope.account)} and d.livemode = ${scope.livemode} and d.network_case = s.id
      left join theirs t on t.id = s.id
      left join lateral (
        select sum(case when kind = 'dispute' then -amount else amount end) as amount, min(currency) as currency
          from ledger_transfers
         where ${scoped} and entry_id in (coalesce(d.id, s.id), d.reversal_entry_id) and kind in ('dispute', 'dispute_reversal')
      ) l on true
      left join emitted on emitted.id = d.id
     where ${amountsDiffer(fragment`d.id`, amount, fragment`d.currency`)}
        or ${unannouncedDispute(begun)}
     order by s.id
  `;
  return rows.map((row) => toReconciledObject("dispute", row));
}

function unannouncedDispute(begun: string): Fragment {
  return fragment`coalesce(d.id >= ${begun}
               and (not coalesce(emitted.opened, false)
                    or (d.status in ('won', 'lost') and not coalesce(emitted.closed, false))), false)`;
}

function inScope({ account, livemode }: Scope): Fragment {
  return fragment`account_id = ${uuidOf(account)} and livemode = ${livemode}`;
}

/** Selects the objects with lines in files of the period, and the objects with an open difference. */
function withLinesOrOpenDifference(scope: Scope, noun: Noun, { from }: Window): Fragment {
  return fragment`select l.subject
        from settlement_files f
        join settlement_lines l on l.account_id = f.account_id and l.livemode = f.livemode and l.file_id = f.id
       where f.account_id = ${uuidOf(scope.account)} and f.livemode = ${scope.livemode}
         and f.state = 'received' and f.until >= ${from} and l.noun = ${noun}
       union
      select subject from reconciliation_differences
       where ${inScope(scope)} and noun = ${noun} and status <> 'closed'`;
}

/** The columns with the acquirer's total and the ledger's total for an object. */
const acquirerAndLedgerColumns = fragment`t.amount as their_amount, t.currency as their_currency, t.repeated, t.newest_at,
           t.reference as their_reference, l.amount as ledger_amount, l.currency as ledger_currency`;

/** Sums the acquirer's settlement lines for each object. Duplicate lines count once. */
function acquirerSums(scope: Scope, noun: Noun): Fragment {
  return fragment`settled as (
      select s.id, l.type, count(*) as times, min(l.amount) as amount, min(l.currency) as low, max(l.currency) as high,
             max(l.posted_at) as newest_at, min(l.reference) as reference
        from subject s
        join settlement_lines l on l.subject = s.id
        join settlement_files f on f.account_id = l.account_id and f.livemode = l.livemode and f.id = l.file_id
       where l.account_id = ${uuidOf(scope.account)} and l.livemode = ${scope.livemode} and l.noun = ${noun}
         and f.account_id = ${uuidOf(scope.account)} and f.livemode = ${scope.livemode} and f.state = 'received'
       group by s.id, l.type
    ),
    theirs as (
      select id, sum(amount) as amount, max(times) > 1 as repeated, max(newest_at) as newest_at,
             case when min(low) = max(high) then min(low) end as currency, min(reference) as reference
        from settled
       group by id
    )`;
}

/**
 * Matches objects whose amount or currency differs between payment, acquirer and ledger. Also matches objects that we
 * do not know or that have duplicate lines.
 */
function amountsDiffer(known: Fragment, amount: Fragment, currency: Fragment): Fragment {
  return fragment`${known} is null or coalesce(t.repeated, false)
        or coalesce(t.amount, 0) <> ${amount} or coalesce(l.amount, 0) <> ${amount}
        or (${amount} <> 0 and (t.currency is distinct from ${currency} or l.currency is distinct from ${currency}))`;
}

type Row = {
  id: string;
  reference: string;
  state: string | null;
  amount: number | null;
  currency: Currency | null;
  their_amount: number | null;
  their_currency: Currency | null;
  their_reference: string | null;
  repeated: boolean | null;
  newest_at: Date | null;
  ledger_amount: number | null;
  ledger_currency: Currency | null;
  announced: boolean | null;
  undecided: boolean | null;
  just_moved: boolean | null;
};

const prefixes: Readonly<Record<Noun, string>> = { charge: "ch", refund: "re", dispute: "dp" };

function toReconciledObject(noun: Noun, row: Row): ReconciledObject {
  const payment = row.state === null ? null : side(row.state, row.amount, row.currency);
  return {
    noun,
    subject: row.id,
    // Our ID if we know the object. Otherwise the acquirer's reference, which may have any format.
    reference:
      payment || row.their_reference === null
        ? idFromUuid(prefixes[noun], row.reference)
        : row.their_reference,
    payment,
    acquirer:
      row.their_amount === null
        ? null
        : {
            ...side("settled", row.their_amount, row.their_currency),
            repeated: row.repeated ?? false,
            newestAt: row.newest_at as Date,
          },
    ledger:
      row.ledger_amount === null ? null : side("posted", row.ledger_amount, row.ledger_currency),
    announced: row.announced ?? true,
    undecided: row.undecided ?? false,
    justMoved: row.just_moved ?? false,
  };
}

/** Returns one side's total. Postgres returns a sum of `bigint` values as text (`numeric`). */
function side(state: string, amount: number | null, currency: Currency | null): Side {
  return { state, amount: Number(amount ?? 0), currency };
}
