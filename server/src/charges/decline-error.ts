import { declineCodes } from "@florin/contract/declines.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { Charge } from "./charge.ts";

/** A decline as the merchant's server hears of it: 402 with the code, what to do, and the charge (spec §7). */
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
