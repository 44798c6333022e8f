import type { Database } from "../database/database.ts";
import type { Sql, Tx } from "../database/sql.ts";
import type { KeyProvider } from "./key-provider.ts";
import { rewrapSecret, type SealedFor, secretsBeginWith } from "./seal.ts";

/** Where secrets of one kind lie: finds up to `limit` of one world that do not begin so. */
export type SealedPlace = (
  read: Sql,
  livemode: boolean,
  beginning: Buffer,
  limit: number,
) => Promise<SealedSecret[]>;

export type SealedSecret = {
  readonly to: SealedFor;
  readonly sealed: Buffer;
  /** Puts the same secret under another seal in its place, if it still stands there. */
  replace(tx: Tx, fresh: Buffer): Promise<void>;
};

/** Few, for a document has up to 5 MiB. */
const secretsPerBatch = 10;

/**
 * Moves every secret of one kind and one world under the current key-encryption key, as `rewrapCards` does with cards.
 * What was moved is found no more, so after a crash it goes on with what is left. Answers how many it moved.
 */
export async function rewrapSecrets(
  { database, keys }: { readonly database: Database; readonly keys: KeyProvider },
  place: SealedPlace,
  livemode: boolean,
): Promise<number> {
  const beginning = secretsBeginWith(await keys.currentKeyId(livemode));
  for (let moved = 0; ; ) {
    const stale = await place(database.read, livemode, beginning, secretsPerBatch);
    if (stale.length === 0) return moved;
    for (const secret of stale) {
      const fresh = await rewrapSecret(keys, secret.to, secret.sealed);
      await database.transaction((tx) => secret.replace(tx, fresh));
    }
    moved += stale.length;
  }
}
