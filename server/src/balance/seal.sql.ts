import { type Fragment, fragment, type Sql, type Tx } from "../database/sql.ts";
import { type AccountId, uuidOf } from "../primitives/ids.ts";

/** What a transfer `n` adds to what its merchant is owed. */
export const gain: Fragment = fragment`
  case when n.credit = 'merchant_balance' then n.amount when n.debit = 'merchant_balance' then -n.amount else 0 end`;

/**
 * From when the settlement of what a transfer `n` brought is counted, of its charge `c`; all but payments has none. One
 * whose charge is not there is wrong, which the checker tells, and must not keep everybody's sums from being made.
 */
export const takenAt: Fragment = fragment`
  case when n.kind in ('charge', 'fee') then coalesce(date_trunc('hour', c.settled_at, 'UTC'), '-infinity')
       else '-infinity' end`;

/**
 * The end of the ledger that is in no sum yet. Bounded from above too, which changes nothing but what the planner
 * expects: a little, and not a third of all there is.
 */
export const newest: Fragment = fragment`newest as materialized (
      select t.*
        from ledger_transfers t
       where t.position > (select through from balance_sealing) and t.position < 9223372036854775807
    )`;

/** The last position that was given out, to whomever, committed or not. */
export async function readLastPosition(read: Sql): Promise<number> {
  const [row] = await read<{ last: number }>`
    select case when is_called then last_value else 0 end as last from ledger_transfers_position_seq
  `;
  return row?.last ?? 0;
}

/** How far the sums go. */
export async function readSealedThrough(read: Sql): Promise<number> {
  const [row] = await read<{ through: number }>`select through from balance_sealing`;
  return row?.through ?? 0;
}

/**
 * Transactions that may be writing transfers now. Each holds this lock from before it draws its first position until
 * it has ended, so when these are gone, nothing at or below a position that was read before is still to come.
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
 * Adds the ledger up to a position to the sums; answers how far they go. The row of `balance_sealing` is the lock:
 * of two servers that seal at once the second adds what the first has left.
 */
export async function sealThrough(tx: Tx, position: number, atMost: number): Promise<number> {
  const [row] = await tx<{ through: number }>`
    select through from balance_sealing for update
  `;
  const from = row?.through ?? 0;
  const through = Math.min(position, from + atMost);
  if (through <= from) return from;
  await tx`
    insert into balance_seals as s (account_id, livemode, currency, taken_at, amount)
    select n.account_id, n.livemode, n.currency, ${takenAt}, sum(${gain})
      from ledger_transfers n
      left join charges c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.entry_id
     where n.position > ${from} and n.position <= ${through}
     group by 1, 2, 3, 4
     order by 1, 2, 3, 4
        on conflict (account_id, livemode, currency, taken_at) do update set amount = s.amount + excluded.amount
  `;
  await tx`update balance_sealing set through = ${through}`;
  return through;
}

/** Sums by the hour that nobody needs by the hour any more become one. */
export async function foldSeals(tx: Tx, takenBefore: Date): Promise<void> {
  await tx`
    with old as (
      delete from balance_seals
       where taken_at < ${takenBefore} and taken_at > '-infinity'
      returning account_id, livemode, currency, amount
    )
    insert into balance_seals as s (account_id, livemode, currency, taken_at, amount)
    select account_id, livemode, currency, '-infinity', sum(amount)
      from old
     group by 1, 2, 3
     order by 1, 2, 3
        on conflict (account_id, livemode, currency, taken_at) do update set amount = s.amount + excluded.amount
  `;
}

/** Sums up one merchant's test mode anew, when its payments were taken earlier than they were: its clock was moved. */
export async function sealAnew(tx: Tx, account: AccountId): Promise<void> {
  await tx`select through from balance_sealing for update`;
  await tx`delete from balance_seals where account_id = ${uuidOf(account)} and not livemode`;
  await tx`
    insert into balance_seals (account_id, livemode, currency, taken_at, amount)
    select n.account_id, n.livemode, n.currency, ${takenAt}, sum(${gain})
      from ledger_transfers n
      left join charges c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.entry_id
     where n.account_id = ${uuidOf(account)} and not n.livemode
       and n.position <= (select through from balance_sealing)
     group by 1, 2, 3, 4
  `;
}
