import type { Money } from "../../primitives/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { CardTraits } from "../processor.ts";
import { findAmountTrigger } from "./amount-triggers.ts";
import { findTestCard, type TestCard } from "./test-cards.ts";
import type { ThreeDSecureBehaviour } from "./three-d-secure-behaviour.ts";

const harmless: CardTraits = { risk: "normal", authentication: "optional" };

export function traitsOf(card: CardCredentials, price: Money): CardTraits {
  const testCard = findTestCard(card.number.reveal());
  if (!testCard) return harmless;
  const behaviour = threeDSecureOf(testCard, price);
  if (!behaviour && testCard.risk === "normal") return harmless;
  return { risk: testCard.risk, authentication: authenticationOf(behaviour) };
}

/** How the bank behaves in 3-D Secure for this payment: by its card, or by an amount from 9003001 to 9003005. */
export function threeDSecureOf(card: TestCard, price: Money): ThreeDSecureBehaviour | null {
  const trigger = findAmountTrigger(card, price.amountMinor);
  return trigger?.kind === "three_d_secure" ? trigger.threeDSecure : card.threeDSecure;
}

/** A card that was saved before is asked for less, but only its payment method knows that it was. */
function authenticationOf(behaviour: ThreeDSecureBehaviour | null): CardTraits["authentication"] {
  return behaviour && behaviour.need !== "supported" ? "required" : "optional";
}
