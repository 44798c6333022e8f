import { type BalanceTransactionId, type Id, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Owner } from "../../core/owner.ts";
import { bigints, rowsOf, smallints, texts } from "../../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { LedgerAccount, Transfer, TransferKind } from "./recipes.ts";

/** The transfers of one business event. Its ID is that of the balance transaction. */
export type Entry = {
  readonly id: BalanceTransactionId;
  readonly currency: Currency;
  /** The charge, refund, dispute or payout that caused the transfers. */
  readonly source: Id<string>;
  readonly transfers: readonly Transfer[];
};

/**
 * Posts an entry in the transaction of its business event. The primary key rejects a duplicate. Charges post theirs in
 * the statement that records their outcome.
 */
export async function insertEntry(tx: Tx, owner: Owner, entry: Entry): Promise<void> {
  const { transfers } = entry;
  const posted = rowsOf({
    line: smallints(transfers, (_, index) => index + 1),
    kind: texts(transfers, ({ kind }) => kind),
    debit: texts(transfers, ({ debit }) => debit),
    credit: texts(transfers, ({ credit }) => credit),
    amount: bigints(transfers, ({ amountMinor }) => amountMinor),
  });
  await tx`
    insert into ledger_transfers (
      account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id
    )
    select ${uuidOf(owner.account)}, ${owner.livemode}, ${uuidOf(entry.id)}, t.line, t.kind, t.debit::ledger_account,
           t.credit::ledger_account, t.amount, ${entry.currency}, ${uuidOf(entry.source)}
      from ${posted} as t
  `;
}

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
  owner: Owner,
  entries: readonly BalanceTransactionId[],
): Promise<TransferRow[]> {
  return read<TransferRow>`
    select entry_id, kind, debit, credit, amount, currency, source_id
      from ledger_transfers
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and entry_id = any (${entries.map(uuidOf)}::uuid[])
     order by entry_id, line
  `;
}
