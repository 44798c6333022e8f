import { idFromUuid, uuidOf } from "../core/ids.ts";
import type { Owner } from "../core/owner.ts";
import { booleans, rowsOf, uuids } from "../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../platform/database/sql.ts";

/**
 * Increases the revision of a merchant's rule set, in the transaction of the change, so that every server reloads it.
 */
export async function incrementRevision(tx: Tx, owner: Owner): Promise<void> {
  await tx`
    insert into rule_set_revisions (account_id, livemode, revision)
    values (${uuidOf(owner.account)}, ${owner.livemode}, 1)
        on conflict (account_id, livemode) do update set revision = rule_set_revisions.revision + 1
  `;
}

/** Returns the revisions of these merchants' rule sets. A merchant that never had a rule has none. */
export async function readRevisions(
  read: Sql,
  owners: readonly Owner[],
): Promise<{ owner: Owner; revision: number }[]> {
  const asked = rowsOf({
    account_id: uuids(owners, ({ account }) => account),
    livemode: booleans(owners, ({ livemode }) => livemode),
  });
  const rows = await read<{ account_id: string; livemode: boolean; revision: number }>`
    select b.account_id, b.livemode, b.revision
      from ${asked} as t
      join rule_set_revisions b on b.account_id = t.account_id and b.livemode = t.livemode
  `;
  return rows.map(({ account_id, livemode, revision }) => ({
    owner: { account: idFromUuid("acct", account_id), livemode },
    revision,
  }));
}
