import { declineCodes } from "@florin/contract/declines.ts";
import type { Acceptance } from "../../acquiring/accept-card.ts";
import { ApiError } from "../../core/api-error.ts";

/** `card_not_supported`: none of the account's acquirers accepts the card. */
type Problem = Extract<Acceptance, { kind: "problem" }>["problem"] | "card_not_supported";

const fieldOf: Readonly<Record<Problem, string>> = {
  invalid_number: "number",
  incorrect_number: "number",
  testmode_decline: "number",
  card_not_supported: "number",
  invalid_expiry_month: "exp_month",
  invalid_expiry_year: "exp_year",
  expired_card: "exp_month",
  invalid_cvc: "cvc",
};

/** Returns the error for a card that is rejected before it is sent to the acquirer. The error contains no card data. */
export function rejectedCard(problem: Problem): ApiError {
  const { errorCode, customerMessage, adviceCode } = declineCodes[problem];
  return new ApiError(errorCode, customerMessage, {
    declineCode: problem,
    adviceCode,
    param: fieldOf[problem],
  });
}
