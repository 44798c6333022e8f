import type { AuditAction } from "@florin/contract/audit-actions.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import { type AccountId, createdAt, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { isOneOf, type Page, pageRows } from "../http/list.ts";
import type { AuthenticatedEntry } from "./audit-entry.ts";

/** The chain of entries that concern the whole service. */
const serviceChain = "00000000-0000-0000-0000-000000000000";

export const chainOf = (account: AccountId | null): string =>
  account ? uuidOf(account) : serviceChain;

/**
 * Continues the transaction as the role that may only insert into the audit log. Returns false and keeps the role of
 * the connection if the audit role does not exist, is not granted to the connection's role, or lacks a permission. In
 * this case, triggers still reject updates and deletes.
 */
export async function assumeAuditRole(tx: Tx): Promise<boolean> {
  const rows = await tx`
    select set_config('role', rolname, true)
      from pg_roles
     where rolname = ${auditRole} and pg_has_role(rolname, 'member')
       and has_table_privilege(rolname, 'audit_log', 'insert')
       and has_table_privilege(rolname, 'audit_heads', 'insert')
       and has_table_privilege(rolname, 'audit_heads', 'update')
  `;
  return rows.length === 1;
}

/** Continues the transaction as the role of the connection. */
export async function dropAuditRole(tx: Tx): Promise<void> {
  await tx`select set_config('role', 'none', true)`;
}

const auditRole = "florin_audit";

/** Locks the end of a chain until the transaction ends, so that entries are written one after another. */
export async function lockHead(
  tx: Tx,
  chain: string,
  first: Buffer,
): Promise<{ number: number; hash: Buffer }> {
  const [head] = await tx<{ number: number; hash: Buffer }>`
    insert into audit_heads as h (account_id, number, hash)
    values (${chain}, 0, ${first})
        on conflict (account_id) do update set number = h.number
    returning number, hash
  `;
  return head as { number: number; hash: Buffer };
}

export type NewEntry = AuthenticatedEntry & {
  readonly entry: string;
  readonly mac: Buffer;
  readonly headMac: Buffer;
};

/** Adds an entry, then advances the head of its chain. A trigger on the head checks that the entry exists. */
export async function appendEntry(tx: Tx, added: NewEntry): Promise<void> {
  const { chain, number, entry, hash, mac, headMac } = added;
  await tx`
    insert into audit_log (account_id, number, entry, hash, mac)
    values (${chain}, ${number}, ${entry}, ${hash}, ${mac})
  `;
  await tx`
    update audit_heads set number = ${number}, hash = ${hash}, mac = ${headMac} where account_id = ${chain}
  `;
}

export type AuditRow = {
  readonly number: number;
  readonly entry: string;
  readonly hash: Buffer;
};

export type AuditFilter = {
  readonly action: OneOrMore<AuditAction> | undefined;
  readonly actorId: string | undefined;
  readonly objectId: string | undefined;
};

/** Lists the entries of this mode and the entries that apply to both modes. */
export async function listEntries(
  read: Sql,
  scope: Scope,
  { action, actorId, objectId }: AuditFilter,
  page: Page,
): Promise<AuditRow[]> {
  return read<AuditRow>`
    select number, entry, hash
      from audit_log
     where account_id = ${uuidOf(scope.account)} and coalesce(livemode, ${scope.livemode}) = ${scope.livemode}
       ${isOneOf(fragment`action`, action)}
       ${actorId ? fragment`and actor_id = ${actorId}` : fragment``}
       ${objectId ? fragment`and object_id = ${objectId}` : fragment``}
       ${pageRows(page)}
  `;
}

/**
 * Returns the latest time at which an entry of the service-wide log was written, or null if there is none. Each start
 * and stop of the service writes an entry.
 */
export async function readLatestServiceEntry(read: Sql): Promise<Date | null> {
  const [row] = await read<{ id: string }>`
    select id from audit_log where account_id = ${serviceChain} order by id desc limit 1
  `;
  return row ? createdAt(idFromUuid("log", row.id)) : null;
}

/**
 * Returns which of these server processes have not started with the key. The entry of a start contains the names of the
 * server's current keys. The entries of earlier versions contain no names, so the processes of these versions are also
 * returned.
 */
export async function listProcessesWithoutKey(
  read: Sql,
  processes: readonly number[],
  keyId: string,
): Promise<number[]> {
  const rows = await read<{ process: number }>`
    select p.number as process
      from unnest(${processes}::int[]) as p (number)
     where not exists (
             select from audit_log
              where account_id = ${serviceChain} and action = 'service.started'
                and entry::jsonb #>> '{after,process}' = p.number::text
                and entry::jsonb #> '{after,keys}' @> to_jsonb(${keyId}::text)
           )
  `;
  return rows.map(({ process }) => process);
}

export type ServiceAuditFilter = {
  readonly action: OneOrMore<string> | undefined;
  readonly actorId: string | undefined;
  readonly objectId: string | undefined;
};

/** Returns entries of the service-wide log, which belongs to no account. Only operators read it. */
export async function listServiceEntries(
  read: Sql,
  { action, actorId, objectId }: ServiceAuditFilter,
  page: Page,
): Promise<AuditRow[]> {
  return read<AuditRow>`
    select number, entry, hash
      from audit_log
     where account_id = ${serviceChain}
       ${isOneOf(fragment`action`, action)}
       ${actorId ? fragment`and actor_id = ${actorId}` : fragment``}
       ${objectId ? fragment`and object_id = ${objectId}` : fragment``}
       ${pageRows(page)}
  `;
}
