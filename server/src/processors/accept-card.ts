import type { CardNetwork, Funding } from "@florin/contract/payment-method.ts";
import {
  type CardProblem,
  type ParsedCard,
  parseCard,
  type TypedCard,
} from "../vault/parse-card.ts";
import { networksOf } from "./networks.ts";
import { findTestCard } from "./simulator/test-cards.ts";

/** A card that may be used in this mode, with what is known of who issued it. */
export type AcceptedCard = ParsedCard & {
  readonly funding: Funding;
  readonly country: string | null;
  readonly networks: CardNetwork[];
};

export type Acceptance =
  | { readonly kind: "card"; readonly card: AcceptedCard }
  | { readonly kind: "problem"; readonly problem: CardProblem | "testmode_decline" };

/**
 * Reads a typed card and holds the two worlds apart: test mode knows the simulator's cards and no other, so that
 * a real number typed by mistake is never kept; live mode refuses just those (contract §7).
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
