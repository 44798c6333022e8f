import type { DeclineCode } from "@florin/contract/declines.ts";
import { merchantAdvice, visaNeverApproves } from "../../acquiring/network-advice.ts";
import type { AuthorizationOutcome } from "../../acquiring/outcome.ts";
import type { CardRecord } from "../../cards/payment-methods/card-record.ts";
import { isWithinCardLimits } from "../../risk/card-limits.ts";

/** An issuer's or acquirer's decline. */
export type Declined = Extract<AuthorizationOutcome, { kind: "declined" }>;

/**
 * The declines after which another acquirer may get an approval: the issuer gave no reason, or was not reached. Most
 * other declines concern the card or the payment, so another acquirer would get the same response. `processing_error`
 * is not in the list, because acquirers also return it for payments that they are still processing.
 */
const cascadedCodes: ReadonlySet<DeclineCode> = new Set([
  "do_not_honor",
  "generic_decline",
  "issuer_not_available",
  "reenter_transaction",
]);

/**
 * Returns whether a declined charge may be sent over one more connection. The networks forbid another attempt if the
 * issuer will never approve the card or asks the merchant to wait, and they limit the declines of a card. `record`
 * contains the declines of the card before this charge. It is null for test cards, which are never sent again.
 */
export function mayCascade(
  { code, retry, notBefore, networkDeclineCode, details }: Declined,
  record: CardRecord | null,
): boolean {
  if (record === null || record.lastNever !== null) return false;
  if (!cascadedCodes.has(code) || retry === "never" || notBefore !== null) return false;
  if (networkDeclineCode !== null && visaNeverApproves.has(networkDeclineCode)) return false;
  const advice = merchantAdvice[details.networkAdviceCode ?? ""];
  if (advice && (advice.retry !== "later" || advice.waitMs !== null)) return false;
  // A wrong security code is typical of card testing. A second acquirer must not help to guess it.
  if (details.checks.cvcCheck === "fail") return false;
  return isWithinCardLimits({
    declinesInDay: record.declinesInDay + 1,
    declinesIn30Days: record.declinesIn30Days + 1,
  });
}

/**
 * Returns the outcome of a charge that one acquirer declined and a later acquirer did not process. The charge fails
 * with the decline. Omits the reference of the acquirer that declined, because the charge is now assigned to the later
 * one.
 */
export function declinedBefore(declined: Declined): Declined {
  return { ...declined, details: { ...declined.details, acquirerReference: null } };
}
