import { declineCodes } from "@florin/contract/declines.ts";
import type { Acceptance } from "../../acquiring/accept-card.ts";
import { ApiError } from "../../core/api-error.ts";

type Problem = Extract<Acceptance, { kind: "problem" }>["problem"];

const fieldOf: Readonly<Record<Problem, string>> = {
  invalid_number: "number",
  incorrect_number: "number",
  testmode_decline: "number",
  invalid_expiry_month: "exp_month",
  invalid_expiry_year: "exp_year",
  expired_card: "exp_month",
  invalid_cvc: "cvc",
};

/** Returns the error for a card that is rejected before it is sent to the acquirer. Contains no card data. */
export function rejectedCard(problem: Problem): ApiError {
  const { errorCode, customerMessage, adviceCode } = declineCodes[problem];
  return new ApiError(errorCode, customerMessage, {
    declineCode: problem,
    adviceCode,
    param: fieldOf[problem],
  });
}
