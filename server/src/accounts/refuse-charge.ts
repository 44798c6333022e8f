import { ApiError } from "../primitives/api-error.ts";
import type { Money } from "../primitives/money.ts";
import type { Account } from "./account.ts";

/** Refuses an account that may not charge in this world (spec §5.3). */
export function refuseCharging({ status }: Account, livemode: boolean): void {
  if (status === "closed") {
    throw new ApiError("account_closed", "This account is closed and cannot charge any more.");
  }
  if (!livemode || status === "approved") return;
  if (status === "suspended") {
    throw new ApiError(
      "account_suspended",
      "This account is suspended and cannot charge in live mode. Refunds and test mode go on; the operator can say why.",
    );
  }
  throw new ApiError(
    "testmode_charges_only",
    "This account can charge in test mode only until underwriting has approved it.",
  );
}

/** Refuses a charge that is larger than the operator lets this account take. Both modes, so that it is met in a test. */
export function refuseLargeCharge(
  { limits }: Account,
  { amountMinor, currency }: Money,
  param = "amount",
): void {
  const largest = limits.largestCharges[currency];
  if (largest === undefined || amountMinor <= largest) return;
  throw new ApiError(
    "amount_over_account_limit",
    `The amount is ${amountMinor} ${currency}, and this account may charge ${largest} ${currency} at most. The operator can raise it.`,
    { param },
  );
}
