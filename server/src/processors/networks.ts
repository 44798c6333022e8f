import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardBrand, CardNetwork } from "@florin/contract/payment-method.ts";
import { testCards } from "./simulator/test-cards.ts";

/** The networks that can carry a payment of a card, the one first that does where nobody chooses. */
export function networksOf(card: {
  readonly brand: CardBrand;
  readonly coNetwork: CardNetwork | null;
}): CardNetwork[] {
  return [
    ...(card.brand === "unknown" ? [] : [card.brand]),
    ...(card.coNetwork ? [card.coNetwork] : []),
  ];
}

/** A range that is no longer than needed to be told from other test cards: the last digits are the card's own. */
const prefixLength = 13;

const testRanges = testCards
  .filter(({ coNetwork }) => coNetwork)
  .map((card) => ({ prefix: card.number.slice(0, prefixLength), networks: networksOf(card) }));

/** Ranges of co-badged cards; those of live cards come from an acquirer. */
export function coBadgedRanges(livemode: boolean): FrameSession["co_badged"] {
  return livemode ? [] : testRanges;
}
