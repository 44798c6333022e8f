import type { Database } from "../platform/database/database.ts";
import type { Sql, Tx } from "../platform/database/sql.ts";
import { type EncryptionContext, rewrapSecret, secretsBeginWith } from "./envelope-encryption.ts";
import type { KeyProvider } from "./key-provider.ts";

/** The queries for one kind of secret. */
export type EncryptedColumn<Kept extends StoredSecret = StoredSecret> = {
  /** True if this kind of secret is encrypted only with the keys of live mode. */
  readonly liveOnly?: true;
  /** Returns up to `limit` secrets of one mode that do not start with these bytes. */
  read(read: Sql, livemode: boolean, beginning: Buffer, limit: number): Promise<Kept[]>;
  to(kept: Kept): EncryptionContext;
  /** Replaces the stored ciphertext if it is unchanged since it was read. */
  replace(tx: Tx, kept: Kept, rewrapped: Buffer): Promise<void>;
};

type StoredSecret = { readonly ciphertext: Buffer };

/** The number of secrets per batch. It is small, because a document can be 5 MiB. */
const secretsPerBatch = 10;

/**
 * Rewraps all secrets of one kind and mode under the current key-encryption key, like `rewrapCards`. The query omits
 * rewrapped secrets, so after a crash another run continues with the rest. Returns the number of secrets rewrapped.
 */
export async function rewrapSecrets(
  { database, keys }: { readonly database: Database; readonly keys: KeyProvider },
  column: EncryptedColumn,
  livemode: boolean,
): Promise<number> {
  if (column.liveOnly && !livemode) return 0;
  const prefix = secretsBeginWith(await keys.currentKeyId(livemode));
  for (let rewrappedCount = 0; ; ) {
    const stale = await column.read(database.read, livemode, prefix, secretsPerBatch);
    if (stale.length === 0) return rewrappedCount;
    for (const secret of stale) {
      const rewrapped = await rewrapSecret(keys, column.to(secret), secret.ciphertext);
      await database.transaction((tx) => column.replace(tx, secret, rewrapped));
    }
    rewrappedCount += stale.length;
  }
}
