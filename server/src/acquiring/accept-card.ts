import type { CardNetwork, Funding } from "@florin/contract/payment-method.ts";
import { findTestCard } from "@florin/contract/test-cards.ts";
import {
  type CardProblem,
  type ParsedCard,
  parseCard,
  type TypedCard,
} from "../vault/parse-card.ts";
import { networksOf } from "./networks.ts";

/** An accepted card with its funding, country and networks. */
export type AcceptedCard = ParsedCard & {
  readonly funding: Funding;
  readonly country: string | null;
  readonly networks: CardNetwork[];
};

export type Acceptance =
  | { readonly kind: "card"; readonly card: AcceptedCard }
  | { readonly kind: "problem"; readonly problem: CardProblem | "testmode_decline" };

/**
 * Parses a typed card and checks that it belongs to the mode. Test mode accepts only the simulator's cards, so that a
 * real card number typed by mistake is never stored. Live mode rejects those cards.
 */
export function acceptCard(typed: TypedCard, livemode: boolean, now: Date): Acceptance {
  const parsed = parseCard(typed, now);
  if (parsed.kind === "problem") return parsed;
  const testCard = findTestCard(parsed.card.credentials.number.reveal());
  if ((testCard === null) !== livemode) return { kind: "problem", problem: "testmode_decline" };
  const funding = testCard?.funding ?? "unknown";
  const country = testCard?.country ?? null;
  const networks = networksOf(testCard ?? { brand: parsed.card.brand, coNetwork: null });
  return { kind: "card", card: { ...parsed.card, funding, country, networks } };
}
