import { declineCodes } from "@florin/contract/declines.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Charge } from "./charge.ts";

/** Returns a decline as an API error: 402 with the code, the next step and the charge. */
export function declineError(charge: Extract<Charge, { status: "failed" }>): ApiError {
  const { code, declineCode, networkDeclineCode } = charge.failure;
  const { meaning, nextStep, adviceCode } = declineCodes[declineCode];
  return new ApiError(code, `${meaning} ${nextStep}`, {
    declineCode,
    adviceCode,
    networkDeclineCode,
    charge: charge.id,
  });
}
