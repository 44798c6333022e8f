import type { Sql, Tx } from "../database/sql.ts";
import { type AccountId, type ApiKeyId, idFromUuid, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";

export type ApiKey = {
  readonly id: ApiKeyId;
  readonly owner: Owner;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

export async function insertApiKey(
  tx: Tx,
  key: { id: ApiKeyId; owner: Owner; name: string; hash: Buffer; last4: string; createdAt: Date },
): Promise<void> {
  await tx`
    insert into api_keys (hash, id, account_id, livemode, name, last4, created_at)
    values (${key.hash}, ${uuidOf(key.id)}, ${uuidOf(key.owner.account)}, ${key.owner.livemode}, ${key.name},
            ${key.last4}, ${key.createdAt})
  `;
}

/** The one statement that cannot name an account: it is how the account is found. */
export async function readApiKey(read: Sql, hash: Buffer): Promise<ApiKey | null> {
  const [row] = await read<{
    id: string;
    account_id: string;
    livemode: boolean;
    expires_at: Date | null;
    revoked_at: Date | null;
  }>`
    select id, account_id, livemode, expires_at, revoked_at
      from api_keys
     where hash = ${hash}
  `;
  if (!row) return null;
  return {
    id: idFromUuid("key", row.id),
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

export async function revokeApiKey(
  tx: Tx,
  account: AccountId,
  id: ApiKeyId,
  at: Date,
): Promise<boolean> {
  const rows = await tx`
    update api_keys
       set revoked_at = ${at}
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)} and revoked_at is null
    returning id
  `;
  return rows.length === 1;
}
