import { findAmountTrigger } from "./amount-triggers.ts";
import type { TestCard } from "./test-cards.ts";
import type { ThreeDSecureBehaviour } from "./three-d-secure-behaviour.ts";

/** Returns the issuer's 3-D Secure behavior, by the card or by an amount from 9003001 to 9003005. */
export function threeDSecureOf(card: TestCard, amountMinor: number): ThreeDSecureBehaviour | null {
  const trigger = findAmountTrigger(card, amountMinor);
  return trigger?.kind === "three_d_secure" ? trigger.threeDSecure : card.threeDSecure;
}
