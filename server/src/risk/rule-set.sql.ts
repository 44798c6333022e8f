import { idFromUuid, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { booleans, rowsOf, uuids } from "../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../platform/database/sql.ts";

/**
 * Increments the revision of a merchant's rule set in the transaction of the change, so that every server reloads it.
 */
export async function incrementRevision(tx: Tx, scope: Scope): Promise<void> {
  await tx`
    insert into rule_set_revisions (account_id, livemode, revision)
    values (${uuidOf(scope.account)}, ${scope.livemode}, 1)
        on conflict (account_id, livemode) do update set revision = rule_set_revisions.revision + 1
  `;
}

/** Returns the revisions of these merchants' rule sets. Omits a merchant that never had a rule. */
export async function readRevisions(
  read: Sql,
  scopes: readonly Scope[],
): Promise<{ scope: Scope; revision: number }[]> {
  const requested = rowsOf({
    account_id: uuids(scopes, ({ account }) => account),
    livemode: booleans(scopes, ({ livemode }) => livemode),
  });
  const rows = await read<{ account_id: string; livemode: boolean; revision: number }>`
    select b.account_id, b.livemode, b.revision
      from ${requested} as t
      join rule_set_revisions b on b.account_id = t.account_id and b.livemode = t.livemode
  `;
  return rows.map(({ account_id, livemode, revision }) => ({
    scope: { account: idFromUuid("acct", account_id), livemode },
    revision,
  }));
}
