import { type AccountId, uuidOf } from "../src/core/ids.ts";
import type { Sql } from "../src/platform/database/sql.ts";
import type { Adyen } from "./adyen.ts";

/**
 * Returns what Adyen owes according to our ledger: receivables minus payouts and minus disputes that are open or lost.
 */
export async function ledgerOwed(
  read: Sql,
  accounts: readonly AccountId[],
): Promise<Record<string, number>> {
  const rows = await read<{ currency: string; owed: number }>`
    select currency, sum(
             case when debit = 'acquirer_receivable' then amount else 0 end
             - case when credit = 'acquirer_receivable' then amount else 0 end
             - case when credit = 'dispute_reserve' then amount else 0 end
             + case when debit = 'dispute_reserve' then amount else 0 end
             - case when credit = 'bank' then amount else 0 end
           )::bigint as owed
      from ledger_transfers
     where account_id = any(${accounts.map(uuidOf)}::uuid[]) and livemode
     group by 1
  `;
  return Object.fromEntries(rows.map(({ currency, owed }) => [currency.toUpperCase(), owed]));
}

/** Returns what Adyen owes according to the fake's ledger, by currency. */
export async function fakeOwes(adyen: Adyen): Promise<Record<string, number>> {
  const { balances } = await adyen.control<{
    balances: { account: string; currency: string; debit: number; credit: number }[];
  }>("GET ledger");
  return Object.fromEntries(
    balances
      .filter(({ account }) => account === "payable")
      .map(({ currency, debit, credit }) => [currency, credit - debit]),
  );
}
