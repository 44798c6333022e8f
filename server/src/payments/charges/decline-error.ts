import { declineCodes } from "@florin/contract/declines.ts";
import { ApiError } from "../../core/api-error.ts";
import type { FailedCharge } from "./charge.ts";

/** Returns the API error for a decline: 402 with the error and decline codes, the next step and the charge ID. */
export function declineError(charge: FailedCharge): ApiError {
  const { code, declineCode, networkDeclineCode } = charge.failure;
  const { meaning, nextStep, adviceCode } = declineCodes[declineCode];
  return new ApiError(code, `${meaning} ${nextStep}`, {
    declineCode,
    adviceCode,
    networkDeclineCode,
    charge: charge.id,
  });
}
