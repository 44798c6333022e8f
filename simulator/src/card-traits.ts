import { findTestCard } from "@florin/contract/test-cards.ts";
import type { CardTraits, CredentialUse } from "@florin/server/acquiring/processor.ts";
import type { Money } from "@florin/server/core/money.ts";
import type { CardCredentials } from "@florin/server/vault/card-number.ts";
import { issuerAuthenticates } from "./issuer-policy.ts";
import { threeDSecureOf } from "./three-d-secure-of.ts";

const normalTraits: CardTraits = { risk: "normal", authentication: "optional" };

export function traitsOf(card: CardCredentials, price: Money, use: CredentialUse): CardTraits {
  const testCard = findTestCard(card.number.reveal());
  if (!testCard) return normalTraits;
  const behavior = threeDSecureOf(testCard, price.amountMinor);
  if (!behavior && testCard.risk === "normal") return normalTraits;
  // For a network token, the device has already authenticated the cardholder.
  const isRequired = behavior !== null && !card.networkToken && issuerAuthenticates(behavior, use);
  return { risk: testCard.risk, authentication: isRequired ? "required" : "optional" };
}
