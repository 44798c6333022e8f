import { type AccountId, type ListEntryId, uuidOf } from "../../core/ids.ts";
import { rowsOf, uuids } from "../../platform/database/array-parameter.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { ListEntry } from "../../risk/list-entry.ts";

/** Copies entries of test mode's lists to live mode. Skips entries that a concurrent request has added. */
export async function copyListEntries(
  tx: Tx,
  account: AccountId,
  copies: readonly { readonly of: ListEntry["id"]; readonly id: ListEntryId }[],
): Promise<void> {
  const pairs = rowsOf({
    id: uuids(copies, ({ id }) => id),
    source: uuids(copies, (copy) => copy.of),
  });
  await tx`
    insert into list_entries (account_id, livemode, id, list, attribute, value, expires_at, description, metadata)
    select e.account_id, true, c.id, e.list, e.attribute, e.value, e.expires_at, e.description, e.metadata
      from ${pairs} as c
      join list_entries e on e.account_id = ${uuidOf(account)} and not e.livemode and e.id = c.source
        on conflict do nothing
  `;
}
