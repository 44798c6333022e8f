import type { Database } from "../database/database.ts";
import type { Sql, Tx } from "../database/sql.ts";
import type { KeyProvider } from "./key-provider.ts";
import { rewrapSecret, type SealedFor, secretsBeginWith } from "./seal.ts";

/** Where secrets of one kind lie. */
export type SealedPlace<Kept extends KeptSecret = KeptSecret> = {
  /** They are of live mode, all of them. */
  readonly liveOnly?: true;
  /** Finds up to `limit` of one world that do not begin so. */
  read(read: Sql, livemode: boolean, beginning: Buffer, limit: number): Promise<Kept[]>;
  to(kept: Kept): SealedFor;
  /** Puts the same secret under another seal in its place, if it still stands there. */
  replace(tx: Tx, kept: Kept, fresh: Buffer): Promise<void>;
};

type KeptSecret = { readonly sealed: Buffer };

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
  if (place.liveOnly && !livemode) return 0;
  const beginning = secretsBeginWith(await keys.currentKeyId(livemode));
  for (let moved = 0; ; ) {
    const stale = await place.read(database.read, livemode, beginning, secretsPerBatch);
    if (stale.length === 0) return moved;
    for (const kept of stale) {
      const fresh = await rewrapSecret(keys, place.to(kept), kept.sealed);
      await database.transaction((tx) => place.replace(tx, kept, fresh));
    }
    moved += stale.length;
  }
}
