import { ApiError } from "./api-error.ts";
import type { Scope } from "./scope.ts";

/**
 * Rejects live mode. Called by test helpers, because they simulate actions that issuers, acquirers and cardholders
 * perform in live mode.
 */
export function assertTestMode({ livemode }: Scope): void {
  if (!livemode) return;
  throw new ApiError(
    "livemode_mismatch",
    "Test helpers work in test mode only. Send the request with a test key.",
  );
}
