import type { ApiKeyStatus } from "@florin/contract/api-key.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import {
  type ApiKeyId,
  createdAt,
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
  uuidOfNullable,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import {
  byteas,
  integers,
  keysOf,
  rowsOf,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { meetsOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import type { ApiKey } from "./api-key.ts";

type ApiKeyRow = {
  id: string;
  account_id: string;
  livemode: boolean;
  name: string;
  last4: string;
  permissions: Permission[] | null;
  created_by: string | null;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
};

const keyColumns = fragment`
  id, account_id, livemode, name, last4, permissions, created_by, last_used_at, expires_at, revoked_at
`;

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: idFromUuid("key", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    name: row.name,
    last4: row.last4,
    permissions: row.permissions,
    createdBy: idFromNullableUuid("per", row.created_by),
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

export async function insertApiKey(tx: Tx, key: ApiKey, hash: Buffer): Promise<void> {
  await tx`
    insert into api_keys (hash, id, account_id, livemode, name, last4, permissions, created_by, created_at)
    values (${hash}, ${uuidOf(key.id)}, ${uuidOf(key.scope.account)}, ${key.scope.livemode}, ${key.name},
            ${key.last4}, ${key.permissions}, ${uuidOfNullable(key.createdBy)}, ${createdAt(key.id)})
  `;
}

/** Finds the key by its hash. */
export async function findApiKey(read: Sql, hash: Buffer): Promise<ApiKey | null> {
  const [key] = await findApiKeys(read, [hash]);
  return key ?? null;
}

/**
 * Finds the keys by their hashes, in the order of the hashes. Has no account filter, because the keys identify the
 * accounts.
 */
export async function findApiKeys(
  read: Sql,
  hashes: readonly Buffer[],
): Promise<(ApiKey | null)[]> {
  const requested = keysOf({
    hash: byteas(hashes, (hash) => hash),
    place: integers(hashes, (_, index) => index),
  });
  const rows = await read<ApiKeyRow & { place: number }>`
    select requested.place, ${keyColumns}
      from ${requested} as requested
      join api_keys k on k.hash = requested.hash
  `;
  const keys: (ApiKey | null)[] = hashes.map(() => null);
  for (const row of rows) keys[row.place] = toApiKey(row);
  return keys;
}

/**
 * Returns the hashes of all keys that are not revoked, in base64, or null if there are more than `limit`. Has no
 * account filter, because a request's key may belong to any account.
 */
export async function listKeyHashes(read: Sql, limit: number): Promise<ReadonlySet<string> | null> {
  const rows = await read<{ hash: string }>`
    select encode(hash, 'base64') as hash from api_keys where revoked_at is null limit ${limit + 1}
  `;
  return rows.length > limit ? null : new Set(rows.map(({ hash }) => hash));
}

export async function readApiKey(read: Sql, scope: Scope, id: ApiKeyId): Promise<ApiKey | null> {
  const [row] = await read<ApiKeyRow>`
    select ${keyColumns}
      from api_keys
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toApiKey(row) : null;
}

/** Locks the key, so that a concurrent change waits until this transaction ends and then reads its result. */
export async function lockApiKey(tx: Tx, scope: Scope, id: ApiKeyId): Promise<ApiKey | null> {
  const [row] = await tx<ApiKeyRow>`
    select ${keyColumns}
      from api_keys
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toApiKey(row) : null;
}

export async function listApiKeys(
  read: Sql,
  scope: Scope,
  status: OneOrMore<ApiKeyStatus> | undefined,
  now: Date,
  page: Page,
): Promise<ApiKey[]> {
  const rows = await read<ApiKeyRow>`
    select ${keyColumns}
      from api_keys
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${meetsOneOf(inStatus(now), status)}
       ${pageRows(page)}
  `;
  return rows.map(toApiKey);
}

const inStatus = (now: Date) => ({
  active: fragment`revoked_at is null and (expires_at is null or expires_at > ${now})`,
  expired: fragment`revoked_at is null and expires_at <= ${now}`,
  revoked: fragment`revoked_at is not null`,
});

/** Updates the mutable fields of a locked key. */
export async function updateApiKey(
  tx: Tx,
  { scope, id, name, expiresAt, revokedAt }: ApiKey,
): Promise<void> {
  await tx`
    update api_keys
       set name = ${name}, expires_at = ${expiresAt}, revoked_at = ${revokedAt}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

export type KeyUse = { readonly id: ApiKeyId; readonly scope: Scope; readonly at: Date };

export async function writeLastUses(tx: Tx, uses: readonly KeyUse[]): Promise<void> {
  const used = rowsOf({
    account_id: uuids(uses, ({ scope }) => scope.account),
    id: uuids(uses, ({ id }) => id),
    at: timestamps(uses, ({ at }) => at),
  });
  await tx`
    update api_keys k
       set last_used_at = greatest(k.last_used_at, u.at)
      from ${used} as u
     where k.account_id = u.account_id and k.id = u.id
  `;
}
