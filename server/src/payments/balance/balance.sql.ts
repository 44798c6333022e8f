import assert from "node:assert/strict";
import type { BalanceTransactionType } from "@florin/contract/balance.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import { idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql } from "../../platform/database/sql.ts";
import { isOneOf, type Page, valuesOf } from "../../platform/http/list.ts";
import { type BalanceTransaction, type SourceId, sourcePrefixes } from "./balance-transaction.ts";
import { capturedHour, gain, newest } from "./checkpoint.sql.ts";

export type Amounts = {
  readonly currency: Currency;
  readonly availableMinor: number;
  readonly pendingMinor: number;
};

/**
 * Returns the merchant's balance for each currency: the checkpoints plus all later transfers. `pendingMinor` is the
 * amount of payments that are not available yet. In test mode, a payment becomes available `settlement_days` after the
 * hour of its capture. In live mode, it becomes available when its acquirer has settled it.
 */
export async function readBalance(read: Sql, scope: Scope, now: Date): Promise<Amounts[]> {
  const rows = await read<{ currency: Currency; total: number; pending: number }>`
    with ${newest},
    moved as (
      select currency, captured_hour, amount
        from balance_checkpoints
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       union all
      select n.currency, ${capturedHour}, ${gain}
        from newest n
        left join charges c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.entry_id
       where n.account_id = ${uuidOf(scope.account)} and n.livemode = ${scope.livemode}
    )
    select m.currency, sum(m.amount)::bigint as total,
           coalesce(sum(m.amount) filter (
             where m.captured_hour + make_interval(days => a.settlement_days) > ${now}), 0)::bigint as pending
      from moved m
      join accounts a on a.id = ${uuidOf(scope.account)}
     group by m.currency
     order by m.currency
  `;
  return rows.map(({ currency, total, pending }) => ({
    currency,
    availableMinor: total - pending,
    pendingMinor: pending,
  }));
}

/**
 * Returns the time before which a test-mode payment must have been captured to be available now (see `readBalance`).
 */
export async function readCapturedBefore(read: Sql, scope: Scope, now: Date): Promise<Date> {
  const [row] = await read<{ captured_before: Date }>`
    select least(${now}::timestamptz, date_trunc('hour', ${now}::timestamptz - make_interval(days => settlement_days), 'UTC') + interval '1 hour')
             as captured_before
      from accounts
     where id = ${uuidOf(scope.account)}
  `;
  assert(row, `${scope.account} has a balance but no account`);
  return row.captured_before;
}

export type BalanceTransactionFilter = {
  readonly type?: OneOrMore<BalanceTransactionType> | undefined;
  readonly currency?: Currency | undefined;
  /** The charge, refund, dispute, payout or settlement that changed the balance. */
  readonly source?: SourceId | undefined;
};

/**
 * Returns the ledger entries that changed the merchant's balance. Entries between other ledger accounts are omitted.
 */
export async function listBalanceTransactions(
  read: Sql,
  scope: Scope,
  filter: BalanceTransactionFilter,
  page: Page,
): Promise<BalanceTransaction[]> {
  // Applies the limit in primary key order before the joins, so that the cost depends on the page size only.
  const rows = await read<Row>`
    select e.*,
           case when e.type <> 'charge' then created_at(e.id)
                when c.assignment_id is null
                then date_trunc('hour', c.finalized_at, 'UTC') + make_interval(days => a.settlement_days)
                -- A live payment whose capture failed before its settlement becomes available at the failure, so that
                -- the two entries cancel out.
                else coalesce((
                  select min(r.received_at)
                    from settlement_report_lines l
                    join settlement_reports r using (connection_id, merchant_account, batch)
                   where l.account_id = a.id and l.charge_id = e.id and l.releases
                ), created_at(c.failure_entry_id)) end as available_on
      from (
        select entry_id as id, min(currency) as currency, min(kind) filter (where line = 1) as type,
               (array_agg(source_id))[1] as source_id,
               sum(case when kind in ('fee', 'dispute_fee', 'acquirer_fee') then amount
                        when kind in ('fee_return', 'acquirer_fee_return') then -amount else 0 end)::bigint as fee,
               sum(case when credit = 'merchant_balance' then amount
                        when debit = 'merchant_balance' then -amount else 0 end)::bigint as net
          from ledger_transfers
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
           and kind not in ('dispute_loss', 'payout_arrival', 'pending_debit', 'pending_credit', 'available_debit',
                            'available_credit')
           ${filter.currency ? fragment`and currency = ${filter.currency}` : fragment``}
           ${filter.source ? ofSource(scope, uuidOf(filter.source)) : fragment``}
           ${filter.type ? ofType(scope, filter.type, filter, page) : fragment``}
           and entry_id < ${page.below} and entry_id >= ${page.from}
         group by entry_id
         order by entry_id ${page.upwards ? fragment`asc` : fragment`desc`}
         limit ${page.limit + 1}
      ) e
      join accounts a on a.id = ${uuidOf(scope.account)}
      left join charges c
        on c.account_id = a.id and c.livemode = ${scope.livemode} and c.id = e.id
     order by e.id ${page.upwards ? fragment`asc` : fragment`desc`}
  `;
  return rows.map((row) => ({
    id: idFromUuid("txn", row.id),
    scope,
    type: row.type,
    amountMinor: row.net + row.fee,
    feeMinor: row.fee,
    currency: row.currency,
    source: idFromUuid(sourcePrefixes[row.type], row.source_id),
    availableOn: row.available_on,
  }));
}

/**
 * Matches the entries of a source object: the entry with the same UUID, the entry that reversed it, and the fee and
 * conversion entries of a settlement. All are found by primary key.
 */
function ofSource({ account, livemode }: Scope, source: string): Fragment {
  const own = fragment`account_id = ${uuidOf(account)} and livemode = ${livemode} and id = ${source}`;
  return fragment`
           and source_id = ${source}
           and entry_id in (
             select ${source}::uuid
              union all
             select failure_entry_id from charges where ${own} and failure_entry_id is not null
              union all
             select failure_entry_id from operations where ${own} and failure_entry_id is not null
              union all
             select reversal_entry_id from disputes where ${own} and reversal_entry_id is not null
              union all
             select failure_entry_id from payouts where ${own} and failure_entry_id is not null
              union all
             select entry_id from settlements
              cross join lateral (values (fee_entry_id), (conversion_entry_id)) e (entry_id)
              where ${own} and entry_id is not null
           )`;
}

/**
 * Matches the page's entries of the given types. If the types do not include `charge`, Postgres can use a partial
 * index. That index excludes entries of the kinds `charge` and `fee`, which are most entries.
 */
function ofType(
  scope: Scope,
  type: OneOrMore<BalanceTransactionType>,
  filter: BalanceTransactionFilter,
  page: Page,
) {
  const { below, from, upwards, limit } = page;
  return fragment`
           and entry_id in (
             select entry_id
               from ledger_transfers
              where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
                ${isOneOf(fragment`kind`, type)}
                ${valuesOf(type).includes("charge") ? fragment`` : fragment`and kind not in ('charge', 'fee')`}
                ${filter.currency ? fragment`and currency = ${filter.currency}` : fragment``}
                ${filter.source ? fragment`and source_id = ${filter.source}` : fragment``}
                and entry_id < ${below} and entry_id >= ${from}
              order by entry_id ${upwards ? fragment`asc` : fragment`desc`}
              limit ${limit + 1}
           )`;
}

type Row = {
  id: string;
  currency: Currency;
  type: BalanceTransactionType;
  source_id: string;
  fee: number;
  net: number;
  available_on: Date | null;
};
