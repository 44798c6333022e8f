import type { OneOrMore } from "@florin/contract/list.ts";
import type { ListAttribute, ListName } from "@florin/contract/list-entry.ts";
import { idFromUuid, type ListEntryId, uuidOf } from "../core/ids.ts";
import type { Metadata } from "../core/metadata.ts";
import type { Scope } from "../core/scope.ts";
import { fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../platform/http/list.ts";
import type { ListEntry } from "./list-entry.ts";

type ListEntryRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  list: ListName;
  attribute: ListAttribute;
  value: string;
  expires_at: Date | null;
  description: string | null;
  metadata: Metadata;
};

const columns = fragment`
  account_id, livemode, id, list, attribute, value, expires_at, description, metadata
`;

/** Inserts an entry. The constraint `list_entries_value_unique` rejects a value that is already on the list. */
export async function insertListEntry(tx: Tx, entry: ListEntry): Promise<void> {
  const { scope } = entry;
  await tx`
    insert into list_entries (account_id, livemode, id, list, attribute, value, expires_at, description, metadata)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(entry.id)}, ${entry.list},
            ${entry.attribute}, ${entry.value}, ${entry.expiresAt}, ${entry.description},
            ${JSON.stringify(entry.metadata)})
  `;
}

export async function readListEntry(
  read: Sql,
  scope: Scope,
  id: ListEntryId,
): Promise<ListEntry | null> {
  const [row] = await read<ListEntryRow>`
    select ${columns}
      from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toListEntry(row) : null;
}

export type ListEntryFilter = {
  readonly list?: OneOrMore<ListName> | undefined;
  readonly attribute?: OneOrMore<ListAttribute> | undefined;
  readonly value?: OneOrMore<string> | undefined;
};

export async function listListEntries(
  read: Sql,
  scope: Scope,
  { list, attribute, value }: ListEntryFilter,
  page: Page,
): Promise<ListEntry[]> {
  const rows = await read<ListEntryRow>`
    select ${columns}
      from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`list`, list)}
       ${isOneOf(fragment`attribute`, attribute)}
       ${isOneOf(fragment`value`, value)}
       ${pageRows(page)}
  `;
  return rows.map(toListEntry);
}

/** The columns of an entry that are needed to match a payment. */
export type ListedValue = Pick<ListEntryRow, "list" | "attribute" | "value" | "expires_at">;

/** Returns the values of all unexpired entries, for the in-memory rule set. */
export async function readListedValues(
  read: Sql,
  scope: Scope,
  now: Date,
): Promise<readonly ListedValue[]> {
  return read<ListedValue>`
    select list, attribute, value, expires_at
      from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and (expires_at is null or expires_at > ${now})
  `;
}

/** Returns all unexpired entries. */
export async function readWholeLists(read: Sql, scope: Scope, now: Date): Promise<ListEntry[]> {
  const rows = await read<ListEntryRow>`
    select ${columns}
      from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and (expires_at is null or expires_at > ${now})
  `;
  return rows.map(toListEntry);
}

export async function countListEntries(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.count ?? 0;
}

export async function deleteListEntry(tx: Tx, scope: Scope, id: ListEntryId): Promise<boolean> {
  const rows = await tx`
    delete from list_entries
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    returning id
  `;
  return rows.length === 1;
}

function toListEntry(row: ListEntryRow): ListEntry {
  const { account_id, livemode, id, expires_at, ...rest } = row;
  return {
    id: idFromUuid("lst", id),
    scope: { account: idFromUuid("acct", account_id), livemode },
    expiresAt: expires_at,
    ...rest,
  };
}
