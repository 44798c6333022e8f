import type { AuditAction } from "@florin/contract/audit-actions.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { type Page, pageRows } from "../http/list.ts";
import { type AccountId, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";

/** The chain of what concerns the whole service. */
const theService = "00000000-0000-0000-0000-000000000000";

const chainOf = (account: AccountId | null): string => (account ? uuidOf(account) : theService);

/** The end of the account's chain, locked until the transaction ends, so that entries follow one another. */
export async function lockHead(
  tx: Tx,
  account: AccountId | null,
  first: Buffer,
): Promise<{ number: number; hash: Buffer }> {
  const [head] = await tx<{ number: number; hash: Buffer }>`
    insert into audit_heads as h (account_id, number, hash)
    values (${chainOf(account)}, 0, ${first})
        on conflict (account_id) do update set number = h.number
    returning number, hash
  `;
  return head as { number: number; hash: Buffer };
}

export async function appendEntry(
  tx: Tx,
  account: AccountId | null,
  { number, entry, hash }: { number: number; entry: string; hash: Buffer },
): Promise<void> {
  await tx`
    with appended as (
      insert into audit_log (account_id, number, entry, hash)
      values (${chainOf(account)}, ${number}, ${entry}, ${hash})
    )
    update audit_heads
       set number = ${number}, hash = ${hash}
     where account_id = ${chainOf(account)}
  `;
}

export type AuditRow = {
  readonly number: number;
  readonly entry: string;
  readonly hash: Buffer;
};

export type AuditFilter = {
  readonly action: AuditAction | undefined;
  readonly actorId: string | undefined;
  readonly objectId: string | undefined;
};

/** What was done in this mode, and what both modes share. */
export async function listEntries(
  read: Sql,
  owner: Owner,
  { action, actorId, objectId }: AuditFilter,
  page: Page,
): Promise<AuditRow[]> {
  return read<AuditRow>`
    select number, entry, hash
      from audit_log
     where account_id = ${uuidOf(owner.account)} and coalesce(livemode, ${owner.livemode}) = ${owner.livemode}
       ${action ? fragment`and action = ${action}` : fragment``}
       ${actorId ? fragment`and actor_id = ${actorId}` : fragment``}
       ${objectId ? fragment`and object_id = ${objectId}` : fragment``}
       ${pageRows(page)}
  `;
}

/** The last of what concerns the whole service, newest first. It is its operators' to read. */
export async function listServiceEntries(read: Sql): Promise<AuditRow[]> {
  return read<AuditRow>`
    select number, entry, hash
      from audit_log
     where account_id = ${theService}
     order by number desc
     limit 100
  `;
}
