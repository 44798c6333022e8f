import type { Money } from "../../core/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { CardTraits, CredentialUse } from "../processor.ts";
import { findTestCard } from "./test-cards.ts";
import { bankAsks } from "./three-d-secure-behaviour.ts";
import { threeDSecureOf } from "./three-d-secure-of.ts";

const harmless: CardTraits = { risk: "normal", authentication: "optional" };

export function traitsOf(card: CardCredentials, price: Money, use: CredentialUse): CardTraits {
  const testCard = findTestCard(card.number.reveal());
  if (!testCard) return harmless;
  const behaviour = threeDSecureOf(testCard, price.amountMinor);
  if (!behaviour && testCard.risk === "normal") return harmless;
  const asks = behaviour !== null && bankAsks(behaviour, use);
  return { risk: testCard.risk, authentication: asks ? "required" : "optional" };
}
