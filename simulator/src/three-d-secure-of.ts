import type { ThreeDSecureBehavior } from "@florin/contract/test-card-three-d-secure.ts";
import type { TestCard } from "@florin/contract/test-cards.ts";
import { findAmountTrigger } from "./amount-triggers.ts";

/**
 * Returns the issuer's 3-D Secure behavior. Amounts from 9003001 to 9003005 select the behavior. For any other amount,
 * the card selects it.
 */
export function threeDSecureOf(card: TestCard, amountMinor: number): ThreeDSecureBehavior | null {
  const trigger = findAmountTrigger(card, amountMinor);
  return trigger?.kind === "three_d_secure" ? trigger.threeDSecure : card.threeDSecure;
}
