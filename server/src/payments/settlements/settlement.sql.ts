import type { ReportKey } from "../../acquiring/connections/settlement-report.sql.ts";
import { type AccountId, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { Change } from "../commit/transition.ts";
import type { Settlement, Share } from "./settlement.ts";

/** Returns the change that inserts a settlement. The insert is skipped if another server has posted this part. */
export function newSettlement(settlement: Settlement): Change<"newSettlement"> {
  const { id, connection, merchantAccount, batch, currency, part } = settlement;
  const { settled, fees, converted, net, paid, feeEntry, conversionEntry } = settlement;
  return {
    kind: "newSettlement",
    id,
    version: 1,
    row: {
      connection_id: connection,
      merchant_account: merchantAccount,
      batch,
      currency,
      part,
      settled,
      fees,
      converted,
      net,
      paid,
      fee_entry_id: feeEntry,
      conversion_entry_id: conversionEntry,
    },
  };
}

/** The number of lines per statement. Statements have a timeout. */
export const matchBatchSize = 5_000;

/**
 * Assigns up to `matchBatchSize` lines, from the line number `first`, to the accounts of their charges. A line is
 * marked as matched only if its type is supported and its currency equals the charge's currency. If only one account
 * uses the merchant account, the lines without a charge are assigned to it.
 */
export async function matchLines(
  tx: Tx,
  report: ReportKey,
  accounts: readonly AccountId[],
  first: number,
): Promise<void> {
  const [onlyAccount = null, second] = accounts;
  const uuids = accounts.map(uuidOf);
  const through = first + matchBatchSize - 1;
  // Checkout.com's report names a capture or refund only by its own reference, without that of the charge.
  await tx`
    update settlement_report_lines l
       set charge_id = o.charge_id
      from operations o
     where ${ofLines(report)} and l.line between ${first} and ${through}
       and l.charge_id is null and o.account_id = any(${uuids}::uuid[]) and o.livemode and o.id = l.operation_id
  `;
  await tx`
    update settlement_report_lines l
       set account_id = c.account_id, matched = coalesce(l.gross_currency = c.currency, false)
      from charges c
      join processor_assignments a on a.account_id = c.account_id and a.id = c.assignment_id
     where ${ofLines(report)} and l.line between ${first} and ${through}
       and c.account_id = any(${uuids}::uuid[]) and c.livemode and c.id = l.charge_id
       and a.connection_id = l.connection_id and a.merchant_account = l.merchant_account
  `;
  // A report without the optional column "Modification Merchant Reference" names a refund only by the acquirer's
  // reference.
  await tx`
    update settlement_report_lines l
       set operation_id = o.id
      from operations o
     where ${ofLines(report)} and l.line between ${first} and ${through}
       and l.settlement_type in ('refund', 'refund_return') and l.operation_id is null
       and o.account_id = l.account_id and o.livemode and o.charge_id = l.charge_id and o.kind = 'refund'
       and o.acquirer_reference = l.modification_reference
  `;
  if (onlyAccount !== null && second === undefined) {
    await tx`
      update settlement_report_lines l
         set account_id = ${uuidOf(onlyAccount)}
       where ${ofLines(report)} and l.line between ${first} and ${through} and l.account_id is null
    `;
  }
  // The first capture line of a charge, in any batch, makes the charge available for payout. Reconciliation reports a
  // second line as a difference.
  await tx`
    update settlement_report_lines l
       set releases = true
     where ${ofLines(report)} and l.line between ${first} and ${through}
       and l.settlement_type = 'capture' and l.matched and not l.releases
       and not ${isTakenOut}
       and not exists (
         select from settlement_report_lines e
          where e.account_id = l.account_id and e.charge_id = l.charge_id and e.settlement_type = 'capture'
            and (e.releases or (e.matched and e.connection_id = l.connection_id
                                and e.merchant_account = l.merchant_account and e.batch = l.batch and e.line < l.line))
       )
  `;
}

/**
 * True if the capture of the line `l` has failed, and the failure has taken the payment out of the pending balance. The
 * line must then not release the payment.
 */
const isTakenOut: Fragment = fragment`exists (
         select from charges c
           join ledger_transfers t
             on t.account_id = c.account_id and t.livemode = c.livemode and t.entry_id = c.failure_entry_id
          where c.account_id = l.account_id and c.livemode and c.id = l.charge_id and t.kind = 'pending_debit'
       )`;

/** Returns the condition that selects the lines `l` of the report. */
function ofLines({ connection, merchantAccount, batch }: ReportKey): Fragment {
  return fragment`l.connection_id = ${uuidOf(connection)} and l.merchant_account = ${merchantAccount}
       and l.batch = ${batch}`;
}

/**
 * An amount that the batch paid out in one currency, from the lines of the type `MerchantPayout`. Negative if the
 * returned payouts exceed the batch's payout.
 */
export type PaidOut = {
  readonly currency: Currency;
  readonly amountMinor: number;
  readonly at: Date;
};

export async function listPaidOut(read: Sql, report: ReportKey): Promise<PaidOut[]> {
  const rows = await read<{ currency: Currency; amount: number; at: Date }>`
    select l.net_currency as currency, -sum(l.net)::bigint as amount, max(l.posted_at) as at
      from settlement_report_lines l
     where ${ofLines(report)} and l.type = 'MerchantPayout'
     group by 1
    having sum(l.net) <> 0
     order by 1
  `;
  return rows.map(({ currency, amount, at }) => ({ currency, amountMinor: amount, at }));
}

/** Returns the account's amounts in the report, by currency and without payouts. */
export async function readShares(
  read: Sql,
  account: AccountId,
  report: ReportKey,
): Promise<ReadonlyMap<Currency, Omit<Share, "paid">>> {
  const rows = await read<{ currency: Currency } & Record<keyof Omit<Share, "paid">, number>>`
    with l as materialized (
      select l.*
        from settlement_report_lines l
       where ${ofLines(report)} and l.account_id = ${uuidOf(account)}
    ),
    parts as (
      select t.currency, sum(case when t.kind = 'charge' then t.amount else -t.amount end) as settled, 0 as fees,
             0 as converted, 0 as net
        from l
        join ledger_transfers t
          on t.account_id = ${uuidOf(account)} and t.livemode and t.entry_id = l.charge_id and t.kind in ('charge', 'fee')
       where l.releases and not ${isTakenOut}
       group by 1
       union all
      select net_currency, 0, sum(case when matched then fee else -net end), 0, 0
        from l
       where matched or type in ('Fee', 'MiscCosts', 'InvoiceDeduction')
       group by 1
       union all
      select gross_currency, 0, 0, -sum(gross), 0 from l where matched and gross_currency <> net_currency group by 1
       union all
      select net_currency, 0, 0, sum(net + fee), 0 from l where matched and gross_currency <> net_currency group by 1
       union all
      -- Excludes amounts that the acquirer moves between its batches and a deposit. They stay in the balance until they
      -- are paid.
      select net_currency, 0, 0, 0, sum(net)
        from l
       where type not in ('MerchantPayout', 'Balancetransfer', 'DepositCorrection')
       group by 1
    )
    select currency, sum(settled)::bigint as settled, sum(fees)::bigint as fees, sum(converted)::bigint as converted,
           sum(net)::bigint as net
      from parts
     group by 1
     order by 1
  `;
  return new Map(rows.map(({ currency, ...share }) => [currency, share]));
}

/** Returns the amounts of the batch that are posted for the account, by currency, and the number of posted parts. */
export async function readPosted(
  read: Sql,
  { account, livemode }: Scope,
  { connection, merchantAccount, batch }: ReportKey,
): Promise<ReadonlyMap<Currency, Share & { readonly parts: number }>> {
  const rows = await read<{ currency: Currency; parts: number } & Record<keyof Share, number>>`
    select currency, count(*)::integer as parts, sum(settled)::bigint as settled, sum(fees)::bigint as fees,
           sum(converted)::bigint as converted, sum(net)::bigint as net, sum(paid)::bigint as paid
      from settlements
     where account_id = ${uuidOf(account)} and livemode = ${livemode}
       and connection_id = ${uuidOf(connection)} and merchant_account = ${merchantAccount} and batch = ${batch}
     group by 1
  `;
  return new Map(rows.map(({ currency, ...share }) => [currency, share]));
}

/** Returns the amounts that the acquirer owes the account from earlier batches of the merchant account, by currency. */
export async function readOwed(
  read: Sql,
  { account, livemode }: Scope,
  { connection, merchantAccount, batch }: ReportKey,
): Promise<ReadonlyMap<Currency, number>> {
  const rows = await read<{ currency: Currency; owed: number }>`
    select s.currency, sum(s.net - s.paid)::bigint as owed
      from settlements s
      join settlement_reports e
        on e.connection_id = s.connection_id and e.merchant_account = s.merchant_account and e.batch = s.batch
      join settlement_reports r
        on r.connection_id = s.connection_id and r.merchant_account = s.merchant_account and r.batch = ${batch}
     where s.account_id = ${uuidOf(account)} and s.livemode = ${livemode}
       and s.connection_id = ${uuidOf(connection)} and s.merchant_account = ${merchantAccount}
       and (e.received_at, e.batch) < (r.received_at, r.batch)
     group by 1
  `;
  return new Map(rows.map(({ currency, owed }) => [currency, owed]));
}
