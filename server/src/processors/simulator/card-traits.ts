import type { Money } from "../../primitives/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { CardTraits } from "../processor.ts";
import { findTestCard } from "./test-cards.ts";
import type { ThreeDSecureBehaviour } from "./three-d-secure-behaviour.ts";
import { threeDSecureOf } from "./three-d-secure-of.ts";

const harmless: CardTraits = { risk: "normal", authentication: "optional" };

export function traitsOf(card: CardCredentials, price: Money): CardTraits {
  const testCard = findTestCard(card.number.reveal());
  if (!testCard) return harmless;
  const behaviour = threeDSecureOf(testCard, price.amountMinor);
  if (!behaviour && testCard.risk === "normal") return harmless;
  return { risk: testCard.risk, authentication: authenticationOf(behaviour) };
}

/** A card that was saved before is asked for less, but only its payment method knows that it was. */
function authenticationOf(behaviour: ThreeDSecureBehaviour | null): CardTraits["authentication"] {
  return behaviour && behaviour.need !== "supported" ? "required" : "optional";
}
