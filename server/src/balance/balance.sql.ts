import type { BalanceTransactionType } from "@florin/contract/balance.ts";
import { fragment, type Sql } from "../database/sql.ts";
import type { Page } from "../http/list.ts";
import { firstUuidAt, idFromUuid, uuidOf } from "../primitives/ids.ts";
import type { Currency } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import { type BalanceTransaction, sourcePrefixes } from "./balance-transaction.ts";

export type Amounts = {
  readonly currency: Currency;
  readonly availableMinor: number;
  readonly pendingMinor: number;
};

/** However late it was taken, a payment's money is available a month after the payment was begun. */
const longestPendingMs = 30 * 24 * 60 * 60 * 1000;

/**
 * What the ledger owes the merchant, in one statement: the sum of all transfers, and of it what payments brought that
 * are not settled yet. There is no second number that could differ from it.
 */
export async function readBalance(read: Sql, owner: Owner, now: Date): Promise<Amounts[]> {
  const rows = await read<{ currency: Currency; total: number; pending: number }>`
    with total as (
      select currency,
             sum(case when credit = 'merchant_balance' then amount when debit = 'merchant_balance' then -amount else 0 end) as amount
        from ledger_transfers
       where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       group by currency
    ),
    pending as (
      select t.currency,
             sum(case when t.credit = 'merchant_balance' then t.amount when t.debit = 'merchant_balance' then -t.amount else 0 end) as amount
        from charges c
        join accounts a on a.id = c.account_id
        join ledger_transfers t
          on t.account_id = c.account_id and t.livemode = c.livemode and t.entry_id = c.id
       where c.account_id = ${uuidOf(owner.account)} and c.livemode = ${owner.livemode}
         and c.id >= ${pendingFrom(now)} and c.status = 'succeeded'
         and c.settled_at + make_interval(days => a.settlement_days) > ${now}
       group by t.currency
    )
    select currency, total.amount::bigint as total, coalesce(pending.amount, 0)::bigint as pending
      from total
      left join pending using (currency)
     order by currency
  `;
  return rows.map(({ currency, total, pending }) => ({
    currency,
    availableMinor: total - pending,
    pendingMinor: pending,
  }));
}

function pendingFrom(now: Date): string {
  return firstUuidAt(new Date(now.getTime() - longestPendingMs));
}

export type BalanceTransactionFilter = {
  readonly type?: BalanceTransactionType | undefined;
  readonly currency?: string | undefined;
  /** The uuid of what moved the money. */
  readonly source?: string | undefined;
};

/** The entries that moved the merchant's balance; what moved between other accounts is not the merchant's to see. */
export async function listBalanceTransactions(
  read: Sql,
  owner: Owner,
  filter: BalanceTransactionFilter,
  page: Page,
): Promise<BalanceTransaction[]> {
  // Cut while the entries are read in the order of the primary key, so that a page costs a page.
  const rows = await read<Row>`
    select e.*,
           case when e.type = 'charge'
                then least(c.settled_at + make_interval(days => a.settlement_days),
                           created_at(e.id) + make_interval(secs => ${longestPendingMs / 1000}))
                else created_at(e.id) end as available_on
      from (
        select entry_id as id, min(currency) as currency, min(kind) filter (where line = 1) as type,
               (array_agg(source_id))[1] as source_id,
               sum(case when kind in ('fee', 'dispute_fee') then amount else 0 end)::bigint as fee,
               sum(case when credit = 'merchant_balance' then amount
                        when debit = 'merchant_balance' then -amount else 0 end)::bigint as net
          from ledger_transfers
         where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
           and kind not in ('dispute_loss', 'payout_arrival')
           ${filter.currency ? fragment`and currency = ${filter.currency}` : fragment``}
           ${filter.source ? fragment`and source_id = ${filter.source}` : fragment``}
           and entry_id < ${page.below} and entry_id >= ${page.from}
         group by entry_id
         ${filter.type ? fragment`having min(kind) filter (where line = 1) = ${filter.type}` : fragment``}
         order by entry_id ${page.upwards ? fragment`asc` : fragment`desc`}
         limit ${page.limit + 1}
      ) e
      join accounts a on a.id = ${uuidOf(owner.account)}
      left join charges c
        on c.account_id = a.id and c.livemode = ${owner.livemode} and c.id = e.id
     order by e.id ${page.upwards ? fragment`asc` : fragment`desc`}
  `;
  return rows.map((row) => ({
    id: idFromUuid("txn", row.id),
    owner,
    type: row.type,
    amountMinor: row.net + row.fee,
    feeMinor: row.fee,
    currency: row.currency,
    source: idFromUuid(sourcePrefixes[row.type], row.source_id),
    availableOn: row.available_on,
  }));
}

type Row = {
  id: string;
  currency: Currency;
  type: BalanceTransactionType;
  source_id: string;
  fee: number;
  net: number;
  available_on: Date;
};
