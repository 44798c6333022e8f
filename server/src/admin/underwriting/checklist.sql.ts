import type { ChecklistItem } from "@florin/contract/operator.ts";
import { type AccountId, idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

export type CheckedItem = {
  readonly item: ChecklistItem;
  readonly person: PersonId;
  readonly checkedAt: Date;
};

export async function listChecked(read: Sql, account: AccountId): Promise<CheckedItem[]> {
  const rows = await read<{ item: ChecklistItem; person_id: string; checked_at: Date }>`
    select item, person_id, checked_at
      from application_checks
     where account_id = ${uuidOf(account)}
     order by checked_at
  `;
  return rows.map((row) => ({
    item: row.item,
    person: idFromUuid("per", row.person_id),
    checkedAt: row.checked_at,
  }));
}

/** Returns false if the item was already checked. */
export async function checkItem(
  tx: Tx,
  account: AccountId,
  checked: CheckedItem,
): Promise<boolean> {
  const rows = await tx`
    insert into application_checks (account_id, item, person_id, checked_at)
    values (${uuidOf(account)}, ${checked.item}, ${uuidOf(checked.person)}, ${checked.checkedAt})
    on conflict (account_id, item) do nothing
    returning item
  `;
  return rows.length === 1;
}

/** Returns false if the item was not checked. */
export async function uncheckItem(
  tx: Tx,
  account: AccountId,
  item: ChecklistItem,
): Promise<boolean> {
  const rows = await tx`
    delete from application_checks where account_id = ${uuidOf(account)} and item = ${item} returning item
  `;
  return rows.length === 1;
}

/** Clears the checklist, because the merchant's changes need a new review. */
export async function uncheckAll(tx: Tx, account: AccountId): Promise<void> {
  await tx`delete from application_checks where account_id = ${uuidOf(account)}`;
}
