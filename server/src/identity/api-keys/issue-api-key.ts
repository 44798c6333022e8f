import type { Permission } from "@florin/contract/permissions.ts";
import type { Clock } from "../../core/clock.ts";
import { type ApiKeyId, newId, type PersonId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { insertApiKey } from "./api-key.sql.ts";
import type { ApiKey } from "./api-key.ts";
import { newSecretKey, type SecretKey } from "./key-text.ts";

/**
 * Hashes a key with HMAC-SHA-256 under a key outside the database, so that guessed keys cannot be compared with a
 * stolen table of hashes.
 */
export type HashKey = (key: SecretKey) => Promise<Buffer>;

/** A key that is not yet inserted. Its text exists nowhere else. */
export type NewApiKey = { readonly key: ApiKey; readonly secret: SecretKey; readonly hash: Buffer };

/** Creates a key. Call it outside a transaction, because `hashKey` may call a remote key service. */
export async function newApiKey(
  deps: { clock: Clock; hashKey: HashKey },
  params: {
    readonly scope: Scope;
    readonly name: string;
    readonly permissions: readonly Permission[] | null;
    readonly createdBy: PersonId | null;
  },
): Promise<NewApiKey> {
  const secret = newSecretKey(params.scope.livemode, params.permissions !== null);
  const key = {
    ...params,
    id: newId("key", deps.clock.now()),
    last4: secret.slice(-4),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  };
  return { key, secret, hash: await deps.hashKey(secret) };
}

/** Inserts a secret key without a creator. */
export async function issueApiKey(
  deps: { clock: Clock; hashKey: HashKey },
  tx: Tx,
  scope: Scope,
  name: string,
): Promise<{ id: ApiKeyId; secret: SecretKey }> {
  const { key, secret, hash } = await newApiKey(deps, {
    scope,
    name,
    permissions: null,
    createdBy: null,
  });
  await insertApiKey(tx, key, hash);
  return { id: key.id, secret };
}
