import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import { ApiError } from "../../core/api-error.ts";
import type { FailedCharge } from "./charge.ts";

/** Returns the API error for a decline: 402 with the error and decline codes, the next step and the charge ID. */
export function declineError(charge: FailedCharge): ApiError {
  const { code, declineCode, networkDeclineCode } = charge.failure;
  return new ApiError(code, failureMessage(declineCode), {
    declineCode,
    adviceCode: declineCodes[declineCode].adviceCode,
    networkDeclineCode,
    charge: charge.id,
  });
}

/** Returns the message about a decline: its meaning and the next step. */
export function failureMessage(declineCode: DeclineCode): string {
  const { meaning, nextStep } = declineCodes[declineCode];
  return `${meaning} ${nextStep}`;
}
