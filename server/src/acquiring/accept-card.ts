import type { CardNetwork, Funding } from "@florin/contract/payment-method.ts";
import { findTestCard } from "@florin/contract/test-cards.ts";
import {
  type CardProblem,
  type ParsedCard,
  parseCard,
  type TypedCard,
} from "../vault/parse-card.ts";
import type { WalletCredential } from "../vault/wallets/wallet-token.ts";
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
 * The cards that a mode accepts. Test mode accepts only the simulator's cards, so that a real card number typed by
 * mistake is never stored. Live mode accepts only real cards. An instance that uses sandboxes also accepts the
 * simulator's cards in live mode, because acquirers have test cards with the same numbers.
 */
export type AcceptedCards = "test_cards" | "real_cards" | "all_cards";

/** Parses a typed card and checks that it is one of the accepted cards. */
export function acceptCard(typed: TypedCard, accepted: AcceptedCards, now: Date): Acceptance {
  const parsed = parseCard(typed, now);
  if (parsed.kind === "problem") return parsed;
  const testCard = findTestCard(parsed.card.credentials.number.reveal());
  const isAccepted = accepted === (testCard ? "test_cards" : "real_cards");
  if (!isAccepted && accepted !== "all_cards") {
    return { kind: "problem", problem: "testmode_decline" };
  }
  const funding = testCard?.funding ?? "unknown";
  const country = testCard?.country ?? null;
  const networks = networksOf(testCard ?? { brand: parsed.card.brand, coNetwork: null });
  return { kind: "card", card: { ...parsed.card, funding, country, networks } };
}

/** The details of a payer that a wallet's token does not contain. */
export type WalletPayer = Pick<TypedCard, "postalCode" | "addressLine1" | "holder">;

/** Checks that the card of a wallet's token is one of the accepted cards. */
export function acceptWalletCard(
  credential: WalletCredential,
  payer: WalletPayer,
  accepted: AcceptedCards,
  now: Date,
): Acceptance {
  const { number, expMonth, expYear } = credential;
  const card = { number: number.reveal(), expMonth, expYear, securityCode: null, ...payer };
  const acceptance = acceptCard(card, accepted, now);
  if (acceptance.kind === "problem" || credential.kind === "card") return acceptance;
  const { cryptogram, eci, source } = credential;
  const networkToken = { cryptogram, eci, source };
  const credentials = { ...acceptance.card.credentials, networkToken };
  return { kind: "card", card: { ...acceptance.card, credentials } };
}
