import type { FrameSession } from "@florin/contract/frame.ts";
import { type CardBrand, type CardNetwork, cardNetworks } from "@florin/contract/payment-method.ts";
import { testCards } from "@florin/contract/test-cards.ts";

/** All networks that a payment can be routed to. */
export const allNetworks: readonly CardNetwork[] = cardNetworks.filter(
  (network) => network !== "unknown",
);

/** Returns the networks that can carry a payment with a card. The first is the default. */
export function networksOf(card: {
  readonly brand: CardBrand;
  readonly coNetwork: CardNetwork | null;
}): CardNetwork[] {
  return [
    ...(card.brand === "unknown" ? [] : [card.brand]),
    ...(card.coNetwork ? [card.coNetwork] : []),
  ];
}

/** The number of digits that distinguishes co-badged test cards from other test cards. */
const prefixLength = 13;

const testRanges = testCards
  .filter(({ coNetwork }) => coNetwork)
  .map((card) => ({ prefix: card.number.slice(0, prefixLength), networks: networksOf(card) }));

/** Returns the number prefixes of co-badged cards. Live mode has none, because no acquirer supplies them yet. */
export function coBadgedRanges(livemode: boolean): FrameSession["co_badged"] {
  return livemode ? [] : testRanges;
}
