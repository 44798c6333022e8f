import type { Tx } from "../database/sql.ts";
import type { Clock } from "../primitives/clock.ts";
import { type ApiKeyId, newId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { insertApiKey } from "./api-key.sql.ts";
import { newSecretKey, type SecretKey } from "./key-text.ts";

/** Keyed, so that a stolen table of hashes cannot be tried out: HMAC-SHA-256 under a key outside the database. */
export type HashKey = (key: SecretKey) => Promise<Buffer>;

/** Makes a secret key. Its text is in this answer and nowhere else. */
export async function issueApiKey(
  deps: { clock: Clock; hashKey: HashKey },
  tx: Tx,
  owner: Owner,
  name: string,
): Promise<{ id: ApiKeyId; secret: SecretKey }> {
  const secret = newSecretKey(owner.livemode);
  const now = deps.clock.now();
  const id = newId("key", now);
  const hash = await deps.hashKey(secret);
  await insertApiKey(tx, { id, owner, name, hash, last4: secret.slice(-4), createdAt: now });
  return { id, secret };
}
