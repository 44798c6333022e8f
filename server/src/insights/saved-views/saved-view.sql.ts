import { idFromUuid, type SavedViewId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { SavedView } from "./saved-view.ts";

type SavedViewRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  list: SavedView["list"];
  name: string;
  query: string;
};

const columns = fragment`account_id, livemode, id, list, name, query`;

export async function insertSavedView(tx: Tx, view: SavedView): Promise<void> {
  const { scope } = view;
  await tx`
    insert into saved_views (account_id, livemode, id, list, name, query)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(view.id)}, ${view.list}, ${view.name}, ${view.query})
  `;
}

export async function listSavedViews(read: Sql, scope: Scope, page: Page): Promise<SavedView[]> {
  const rows = await read<SavedViewRow>`
    select ${columns}
      from saved_views
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${pageRows(page)}
  `;
  return rows.map(toSavedView);
}

export async function countSavedViews(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from saved_views
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.count ?? 0;
}

/** Updates the fields that are not null. Returns the updated view, or null if the view does not exist. */
export async function updateSavedView(
  tx: Tx,
  scope: Scope,
  id: SavedViewId,
  { name, query }: { name: string | null; query: string | null },
): Promise<SavedView | null> {
  const [row] = await tx<SavedViewRow>`
    update saved_views
       set name = coalesce(${name}, name), query = coalesce(${query}, query)
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    returning ${columns}
  `;
  return row ? toSavedView(row) : null;
}

export async function deleteSavedView(tx: Tx, scope: Scope, id: SavedViewId): Promise<boolean> {
  const rows = await tx`
    delete from saved_views
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    returning id
  `;
  return rows.length === 1;
}

function toSavedView({ account_id, livemode, id, ...rest }: SavedViewRow): SavedView {
  return {
    id: idFromUuid("view", id),
    scope: { account: idFromUuid("acct", account_id), livemode },
    ...rest,
  };
}
