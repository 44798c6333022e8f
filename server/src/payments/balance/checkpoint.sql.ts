import { type AccountId, uuidOf } from "../../core/ids.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";

/** The amount by which transfer `n` changes the merchant's balance. Negative for a debit. */
export const gain: Fragment = fragment`
  case when n.credit = 'merchant_balance' then n.amount when n.debit = 'merchant_balance' then -n.amount else 0 end`;

/**
 * The hour from which `settlement_days` counts for transfer `n` of charge `c`. It is `-infinity` for transfers that are
 * available immediately, which is every kind except payments and their fees. It is `infinity` for live payments, which
 * are pending until their acquirer settles them, and for the transfers that then reduce the pending balance. A missing
 * charge yields `-infinity`: `florin verify` reports it, and it must not block the checkpoints of all merchants.
 */
export const capturedHour: Fragment = fragment`
  case when n.kind in ('pending_debit', 'pending_credit') then 'infinity'
       when n.kind not in ('charge', 'fee') then '-infinity'
       when c.assignment_id is not null then 'infinity'
       else coalesce(date_trunc('hour', c.finalized_at, 'UTC'), '-infinity') end`;

/** The kind by which transfers `n` are grouped. All kinds that have the same `capturedHour` form one group. */
const capturedHourKind: Fragment = fragment`
  case when n.kind in ('pending_debit', 'pending_credit') then 'pending_debit'
       when n.kind in ('charge', 'fee') then 'charge'
       else 'refund' end`;

/**
 * The hour that archived transfers `n` have in place of `capturedHour`. In test mode it is `-infinity`, because their
 * settlement delay has passed. In live mode, payments and the transfers that reduce the pending balance have
 * `infinity`, as in `capturedHour`.
 */
export const archivedHour: Fragment = fragment`
  case when n.kind in ('pending_debit', 'pending_credit') or (n.livemode and n.kind in ('charge', 'fee'))
       then 'infinity'::timestamptz else '-infinity'::timestamptz end`;

/**
 * The transfers after the last checkpoint. The upper bound excludes no transfer, but without it the planner estimates
 * that the condition matches a third of the table.
 */
export const newest: Fragment = fragment`newest as materialized (
      select t.*
        from ledger_transfers t
       where t.position > (select position from balance_checkpoint_progress) and t.position < 9223372036854775807
    )`;

/**
 * Returns the last position taken from the sequence by any transaction, committed or not. The function reads the
 * sequence under its lock. A `select last_value` does not, and can return a position up to 32 ahead: about every 32nd
 * `nextval` briefly stores the value that it logs for crash recovery. Transfers that take these positions later would
 * then be in no checkpoint.
 */
export async function readLastPosition(read: Sql): Promise<number> {
  const [row] = await read<{ last: number | null }>`
    select pg_sequence_last_value('ledger_transfers_position_seq'::regclass) as last
  `;
  return row?.last ?? 0;
}

/** Returns the last ledger position that the checkpoints include. */
export async function readCheckpointPosition(read: Sql): Promise<number> {
  const [row] = await read<{ position: number }>`select position from balance_checkpoint_progress`;
  return row?.position ?? 0;
}

/**
 * Returns the open transactions that may have written to the ledger. Such a transaction acquires a table lock on
 * `ledger_transfers` before it takes its first position, and holds the lock until it ends. Once all of these
 * transactions have ended, no transfer can appear at or below a position that was read before this call.
 */
export async function listWriters(read: Sql): Promise<string[]> {
  const rows = await read<{ writer: string }>`
    select distinct virtualtransaction as writer
      from pg_locks
     where locktype = 'relation' and relation = 'ledger_transfers'::regclass and mode = 'RowExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())
  `;
  return rows.map(({ writer }) => writer);
}

/**
 * Adds at most `limit` transfers to the checkpoints, up to and including the given position. Returns the position that
 * the checkpoints have reached. The row lock on `balance_checkpoint_progress` serializes servers: a second server
 * continues where the first stopped.
 */
export async function advanceCheckpoints(tx: Tx, position: number, limit: number): Promise<number> {
  const [row] = await tx<{ position: number }>`
    select position from balance_checkpoint_progress for update
  `;
  const from = row?.position ?? 0;
  const through = Math.min(position, from + limit);
  if (through <= from) return from;
  // Sums the transfers of each entry first, so that a payment and its fee together read their charge only once.
  await tx`
    with entries as materialized (
      select n.account_id, n.livemode, n.entry_id, n.currency, ${capturedHourKind} as kind, sum(${gain}) as amount
        from ledger_transfers n
       where n.position > ${from} and n.position <= ${through}
       group by 1, 2, 3, 4, 5
    )
    insert into balance_checkpoints as s (account_id, livemode, currency, captured_hour, amount)
    select n.account_id, n.livemode, n.currency, ${capturedHour}, sum(n.amount)
      from entries n
      left join charges c on n.kind = 'charge'
                         and c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.entry_id
     group by 1, 2, 3, 4
     order by 1, 2, 3, 4
        on conflict (account_id, livemode, currency, captured_hour) do update set amount = s.amount + excluded.amount
  `;
  await tx`update balance_checkpoint_progress set position = ${through}`;
  return through;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the hour before which hourly sums are merged. A payment becomes available within 30 days, and its hour is
 * irrelevant afterwards.
 */
function mergedBefore(now: Date): Date {
  return new Date(now.getTime() - 32 * dayMs);
}

/**
 * For each balance, merges the hourly sums that are older than `mergedBefore` into one sum without an hour. `account`
 * restricts the merge to the test mode of one merchant.
 */
export async function mergeCheckpoints(tx: Tx, now: Date, account?: AccountId): Promise<void> {
  await tx`
    with old as (
      delete from balance_checkpoints
       where captured_hour < ${mergedBefore(now)} and captured_hour > '-infinity'
             ${account ? fragment`and account_id = ${uuidOf(account)} and not livemode` : fragment``}
      returning account_id, livemode, currency, amount
    )
    insert into balance_checkpoints as s (account_id, livemode, currency, captured_hour, amount)
    select account_id, livemode, currency, '-infinity', sum(amount)
      from old
     group by 1, 2, 3
     order by 1, 2, 3
        on conflict (account_id, livemode, currency, captured_hour) do update set amount = s.amount + excluded.amount
  `;
}

/** Locks the checkpoints of all merchants, so that no other transaction changes them. */
export async function lockCheckpoints(tx: Tx): Promise<void> {
  await tx`select from balance_checkpoint_progress for update`;
}

/**
 * Moves the amounts of test mode payments to the sums of their new hours, after the test clock has moved their capture
 * times into the past by `seconds`. The caller must have called `lockCheckpoints`.
 */
export async function moveInCheckpoints(
  tx: Tx,
  account: AccountId,
  payments: readonly string[],
  seconds: number,
  now: Date,
): Promise<void> {
  if (payments.length === 0) return;
  // Merges first, because the sum of a payment's old hour may already be merged. The statement below requires that all
  // hours before `mergedBefore` are merged.
  await mergeCheckpoints(tx, now, account);
  await tx`
    with payments as (
      select n.currency, ${gain} as amount, c.finalized_at as captured_at
        from charges c
        join ledger_transfers n
          on n.account_id = c.account_id and n.livemode = c.livemode and n.entry_id = c.id
       where c.account_id = ${uuidOf(account)} and not c.livemode and c.id = any (${[...payments]}::uuid[])
         and n.kind in ('charge', 'fee') and n.position <= (select position from balance_checkpoint_progress)
    ),
    changes as (
      select currency, date_trunc('hour', captured_at, 'UTC') as hour, amount from payments
      union all
      select currency, date_trunc('hour', captured_at + make_interval(secs => ${seconds}), 'UTC'), -amount from payments
    )
    insert into balance_checkpoints as s (account_id, livemode, currency, captured_hour, amount)
    select ${uuidOf(account)}, false, currency, case when hour < ${mergedBefore(now)} then '-infinity' else hour end,
           sum(amount)
      from changes
     group by 3, 4
    having sum(amount) <> 0
     order by 3, 4
        on conflict (account_id, livemode, currency, captured_hour) do update set amount = s.amount + excluded.amount
  `;
  // Deletes the sums of hours that no longer contain a payment. The row without an hour stays, because the balance
  // lists each currency that has a row.
  await tx`
    delete from balance_checkpoints
     where account_id = ${uuidOf(account)} and not livemode and captured_hour > '-infinity' and amount = 0
  `;
}
