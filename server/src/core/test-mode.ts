import { ApiError } from "./api-error.ts";
import type { Owner } from "./owner.ts";

/** Rejects live mode. Test helpers simulate what issuers, acquirers and cardholders do in live mode. */
export function requireTestMode({ livemode }: Owner): void {
  if (!livemode) return;
  throw new ApiError(
    "livemode_mismatch",
    "Test helpers work in test mode only. Send the request with a key that begins with sk_test_.",
  );
}
