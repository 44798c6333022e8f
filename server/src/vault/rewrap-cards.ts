import type { Database } from "../database/database.ts";
import type { KeyProvider } from "./key-provider.ts";
import { rewrap } from "./seal.ts";
import { type CardToRewrap, readCardsUnderOtherKeys, replaceWrappings } from "./vault.sql.ts";
import { sealedFor } from "./vault.ts";

const cardsPerBatch = 200;

/**
 * Moves every card of one world under the current key-encryption key, while charges go on: the card's own data
 * key stays, only its wrapping is new. The key server is asked with no transaction open; run again after a
 * crash, it goes on with what is left. Answers how many cards it moved.
 */
export async function rewrapCards(
  { database, keys }: { readonly database: Database; readonly keys: KeyProvider },
  livemode: boolean,
): Promise<number> {
  const current = await keys.currentKeyId(livemode);
  let moved = 0;
  let last: CardToRewrap | null = null;
  for (;;) {
    const cards: CardToRewrap[] = await readCardsUnderOtherKeys(
      database.read,
      livemode,
      current,
      last,
      cardsPerBatch,
    );
    if (cards.length === 0) return moved;
    const rewrapped = await Promise.all(
      cards.map(async (card) => ({
        ...card,
        fresh: await rewrap(keys, sealedFor(card.owner, card.id), card.old),
      })),
    );
    moved += await database.transaction((tx) => replaceWrappings(tx, rewrapped));
    last = cards.at(-1) ?? null;
  }
}
