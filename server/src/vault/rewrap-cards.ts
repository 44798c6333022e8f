import type { Database } from "../platform/database/database.ts";
import { rewrap } from "./envelope-encryption.ts";
import type { KeyProvider } from "./key-provider.ts";
import { type CardToRewrap, readCardsUnderOtherKeys, replaceWrappings } from "./vault.sql.ts";
import { encryptionContextOf } from "./vault.ts";

const cardsPerBatch = 200;

/**
 * Rewraps all cards of one mode under the current key-encryption key. Charges continue in the meantime, because only
 * the wrapping of each card's data key changes. The key server is called with no transaction open. After a crash,
 * another run continues with the remaining cards. Returns the number of cards rewrapped.
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
        new: await rewrap(keys, encryptionContextOf(card.scope, card.id, card.purpose), card.old),
      })),
    );
    moved += await database.autocommit((tx) => replaceWrappings(tx, rewrapped));
    last = cards.at(-1) ?? null;
  }
}
