import { ApiError } from "../primitives/api-error.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Account } from "./account.ts";

/** Returns whether an acquirer connection serves the account in this mode. */
export type IsConnected = (owner: Owner) => boolean;

/** Returns whether a charge could be made: the value of `charges_enabled`. */
export function canCharge(account: Account, livemode: boolean, isConnected: IsConnected): boolean {
  return chargingRefusal(account, livemode, isConnected) === null;
}

/** Rejects charges, sessions and decisions of an account that cannot charge in this mode. */
export function assertCanCharge(
  account: Account,
  livemode: boolean,
  isConnected: IsConnected,
): void {
  const refusal = chargingRefusal(account, livemode, isConnected);
  if (refusal) throw refusal;
}

/**
 * The one rule on who can charge: a closed account never, test mode always, live mode after underwriting and with an
 * acquirer connection. Returns the error that names what is missing, or null when a charge could be made.
 */
function chargingRefusal(
  { id, status }: Account,
  livemode: boolean,
  isConnected: IsConnected,
): ApiError | null {
  if (status === "closed") {
    return new ApiError("account_closed", "This account is closed and cannot charge any more.");
  }
  if (livemode && status === "suspended") {
    return new ApiError(
      "account_suspended",
      "This account is suspended and cannot charge in live mode. Refunds and test mode go on; the operator can say why.",
    );
  }
  if (livemode && status !== "approved") {
    return new ApiError(
      "testmode_charges_only",
      "This account can charge in test mode only until underwriting has approved it.",
    );
  }
  if (!isConnected({ account: id, livemode })) {
    return new ApiError(
      "connector_not_configured",
      `No acquirer is connected for charges in ${livemode ? "live" : "test"} mode. The operator of the service connects one. Until then \`charges_enabled\` of the account is false.`,
    );
  }
  return null;
}
