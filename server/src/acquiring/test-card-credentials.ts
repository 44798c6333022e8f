import type { TestCard } from "@florin/contract/test-cards.ts";
import { type CardCredentials, CardNumber, SecurityCode } from "../vault/card-number.ts";

/**
 * Returns an expiry date that is always at least three years in the future, so that a named test card never expires.
 */
export function testCardExpiry(now: Date): {
  readonly expMonth: number;
  readonly expYear: number;
} {
  return { expMonth: 12, expYear: now.getUTCFullYear() + 3 };
}

/** Returns the card for the acquirer, with a valid security code. */
export function testCardCredentials(card: TestCard, now: Date): CardCredentials {
  const { expMonth, expYear } = testCardExpiry(now);
  const known = credentials.get(card);
  if (known?.expYear === expYear) return known;
  const credentialsOfCard: CardCredentials = {
    number: new CardNumber(card.number),
    expMonth,
    expYear,
    securityCode: new SecurityCode(card.brand === "amex" ? "1234" : "123"),
    // Only test cards for address checks include an address.
    postalCode: card.postalCodeCheck === "pass" ? null : "94103",
    addressLine1: card.addressLine1Check === "pass" ? null : "1 Test Street",
  };
  credentials.set(card, credentialsOfCard);
  return credentialsOfCard;
}

/**
 * The cards are cached until the expiry year changes, because benchmarks and test suites charge named cards
 * continuously.
 */
const credentials = new WeakMap<TestCard, CardCredentials>();
