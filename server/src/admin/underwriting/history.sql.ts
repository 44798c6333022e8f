import { type AccountId, type Id, idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/** A transition of an application or its account, or an operator's note. */
export type HistoryEntry = {
  readonly account: AccountId;
  readonly id: Id<"note">;
  /** Null for an operator's note. */
  readonly transition: string | null;
  readonly person: PersonId;
  readonly text: string | null;
};

export async function insertHistory(tx: Tx, entry: HistoryEntry): Promise<void> {
  await tx`
    insert into application_history (account_id, id, transition, person_id, text)
    values (${uuidOf(entry.account)}, ${uuidOf(entry.id)}, ${entry.transition}, ${uuidOf(entry.person)}, ${entry.text})
  `;
}

/** Returns the latest entries, newest first. */
export async function listHistory(read: Sql, account: AccountId): Promise<HistoryEntry[]> {
  const rows = await read<{
    id: string;
    transition: string | null;
    person_id: string;
    text: string | null;
  }>`
    select id, transition, person_id, text
      from application_history
     where account_id = ${uuidOf(account)}
     order by id desc
     limit 200
  `;
  return rows.map((row) => ({
    account,
    id: idFromUuid("note", row.id),
    transition: row.transition,
    person: idFromUuid("per", row.person_id),
    text: row.text,
  }));
}
