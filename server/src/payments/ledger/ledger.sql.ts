import { type BalanceTransactionId, type Id, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { LedgerAccount, Transfer, TransferKind } from "./posting-rules.ts";

/** The transfers of one business event. The entry's ID is the ID of the balance transaction. */
export type Entry = {
  readonly id: BalanceTransactionId;
  readonly currency: Currency;
  /** The charge, refund, dispute, payout or settlement that caused the transfers. */
  readonly source: Id<string>;
  readonly transfers: readonly Transfer[];
};

export type TransferRow = {
  entry_id: string;
  kind: TransferKind;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number;
  currency: Currency;
  source_id: string;
};

/** Returns the transfers of these entries in posting order. */
export async function listTransfers(
  read: Sql,
  scope: Scope,
  entries: readonly BalanceTransactionId[],
): Promise<TransferRow[]> {
  return read<TransferRow>`
    select entry_id, kind, debit, credit, amount, currency, source_id
      from ledger_transfers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and entry_id = any (${entries.map(uuidOf)}::uuid[])
     order by entry_id, line
  `;
}
