import { ApiError } from "../../core/api-error.ts";
import type { Scope } from "../../core/scope.ts";
import type { Account } from "./account.ts";

/** Returns whether an acquirer connection serves the account in this mode. */
export type IsConnected = (scope: Scope) => boolean;

/** Returns whether the account can charge in this mode. This is the value of `charges_enabled`. */
export function canCharge(account: Account, livemode: boolean, isConnected: IsConnected): boolean {
  return chargingRejection(account, livemode, isConnected) === null;
}

/**
 * Throws if the account cannot charge in this mode. It is called before a charge, a session or a decision is created.
 */
export function assertCanCharge(
  account: Account,
  livemode: boolean,
  isConnected: IsConnected,
): void {
  const rejection = chargingRejection(account, livemode, isConnected);
  if (rejection) throw rejection;
}

/**
 * Returns the error that explains why the account cannot charge in this mode, or null if it can. A closed account
 * cannot charge in either mode. Live mode requires approval by underwriting, and both modes require an acquirer
 * connection. Every check of whether an account can charge calls this function.
 */
function chargingRejection(
  { id, status }: Account,
  livemode: boolean,
  isConnected: IsConnected,
): ApiError | null {
  if (status === "closed") {
    return new ApiError(
      "account_closed",
      "This account is closed and can no longer charge. Contact the operator.",
    );
  }
  if (livemode && status === "suspended") {
    return new ApiError(
      "account_suspended",
      "This account is suspended and cannot charge in live mode. Refunds and test mode still work. Contact the operator.",
    );
  }
  if (livemode && status !== "approved") {
    return new ApiError(
      "testmode_charges_only",
      "This account can charge in test mode only. Apply for live mode and wait for approval.",
    );
  }
  if (!isConnected({ account: id, livemode })) {
    return new ApiError(
      "connector_not_configured",
      `No acquirer is connected for charges in ${livemode ? "live" : "test"} mode. The operator must connect an acquirer first. Do not retry until the account's \`charges_enabled\` is true.`,
    );
  }
  return null;
}
