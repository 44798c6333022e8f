import { uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Tx } from "../platform/database/sql.ts";

/**
 * Increments the revision of a merchant's rule set in the transaction of a change. As a result, concurrent changes wait
 * for each other, and every server reloads the rule set.
 */
export async function incrementRevision(tx: Tx, scope: Scope): Promise<void> {
  await tx`
    insert into rule_set_revisions (account_id, livemode, revision)
    values (${uuidOf(scope.account)}, ${scope.livemode}, 1)
        on conflict (account_id, livemode) do update set revision = rule_set_revisions.revision + 1
  `;
}
