import {
  expectedResult,
  type ThreeDSecureBehavior,
} from "@florin/contract/test-card-three-d-secure.ts";
import type { CredentialUse } from "@florin/server/acquiring/processor.ts";

/**
 * Returns whether the issuer authenticates the cardholder for this use of the card. For some test cards, the issuer
 * requires no authentication after the card has been saved.
 */
export function issuerAuthenticates({ need }: ThreeDSecureBehavior, use: CredentialUse): boolean {
  const refersToSaving = use.kind === "saved" && use.networkTransactionId !== null;
  switch (need) {
    case "required":
      return true;
    case "supported":
      return false;
    case "unless_saved":
      return !refersToSaving;
    case "on_session":
      return !(refersToSaving && use.initiatedBy === "merchant");
  }
}

/**
 * Returns whether the issuer declines a payment that is not authenticated. Returns false if the issuer does not
 * authenticate this use of the card, or if authentication ends as attempted, informational or unavailable. The issuer
 * then approves without a liability shift.
 */
export function issuerRequiresAuthentication(
  behavior: ThreeDSecureBehavior,
  use: CredentialUse = { kind: "once" },
): boolean {
  if (!issuerAuthenticates(behavior, use)) return false;
  const result = expectedResult(behavior);
  return result !== "attempted" && result !== "informational" && result !== "unavailable";
}
