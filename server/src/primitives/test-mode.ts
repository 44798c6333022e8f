import { ApiError } from "./api-error.ts";
import type { Owner } from "./owner.ts";

/** Test helpers do what only the outside world may do in live mode (contract §5). */
export function requireTestMode({ livemode }: Owner): void {
  if (!livemode) return;
  throw new ApiError(
    "livemode_mismatch",
    "Test helpers work in test mode only. Send the request with a key that begins with sk_test_.",
  );
}
