import { type ConnectionId, idFromUuid, type PayoutId, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql } from "../../platform/database/sql.ts";

/**
 * The charges that a payout contains. A live acquirer pays a batch, whose report lists the charges. A scheduled payout
 * of test mode contains the charges that were captured in a period. A payout that a merchant created in test mode has
 * only an amount and contains no charges (docs/decisions/0064-payouts-that-pay-everything-contain-payments.md).
 */
export type PayoutContents =
  | {
      readonly kind: "batch";
      readonly connection: ConnectionId;
      readonly merchantAccount: string;
      readonly batch: string;
      readonly currency: Currency;
    }
  | {
      readonly kind: "period";
      readonly from: Date | null;
      readonly before: Date;
      readonly currency: Currency;
    }
  | { readonly kind: "none" };

export async function readPayoutContents(
  read: Sql,
  scope: Scope,
  payout: PayoutId,
): Promise<PayoutContents> {
  const [row] = await read<PayoutRow>`
    select p.currency, p.captured_before, s.connection_id, s.merchant_account, s.batch, (
             select max(earlier.captured_before)
               from payouts earlier
              where earlier.account_id = p.account_id and earlier.livemode = p.livemode
                and earlier.currency = p.currency and earlier.day < p.day and earlier.id < p.id
           ) as captured_from
      from payouts p
      left join settlements s on s.account_id = p.account_id and s.livemode = p.livemode and s.id = p.id
     where p.account_id = ${uuidOf(scope.account)} and p.livemode = ${scope.livemode} and p.id = ${uuidOf(payout)}
  `;
  if (!row) return { kind: "none" };
  const { currency, captured_from: from, captured_before: before } = row;
  if (before) return { kind: "period", from, before, currency };
  const { connection_id: connection, merchant_account: merchantAccount, batch } = row;
  if (!connection || merchantAccount === null || batch === null) return { kind: "none" };
  return {
    kind: "batch",
    connection: idFromUuid("con", connection),
    merchantAccount,
    batch,
    currency,
  };
}

type PayoutRow = {
  currency: Currency;
  captured_before: Date | null;
  captured_from: Date | null;
  connection_id: string | null;
  merchant_account: string | null;
  batch: string | null;
};

/** Returns the condition that selects the charges of a payout. */
export function isPaidOutBy({ account }: Scope, contents: PayoutContents): Fragment {
  switch (contents.kind) {
    case "batch":
      return fragment`
       and id in (
         select charge_id
           from settlement_report_lines
          where account_id = ${uuidOf(account)} and connection_id = ${uuidOf(contents.connection)}
            and merchant_account = ${contents.merchantAccount} and batch = ${contents.batch}
            and releases and net_currency = ${contents.currency}
       )`;
    case "period":
      return fragment`
       and status = 'succeeded' and currency = ${contents.currency}
       and finalized_at >= ${contents.from ?? new Date(0)} and finalized_at < ${contents.before}`;
    case "none":
      return fragment`and false`;
  }
}
