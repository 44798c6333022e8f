import { ApiError } from "../../core/api-error.ts";
import type { AppleSessionResult } from "../../vault/wallets/configurations/apple-sessions.ts";

/** Returns the error for a request that could not get a merchant session from Apple. */
export function noAppleSession(reason: Exclude<AppleSessionResult["kind"], "session">): ApiError {
  switch (reason) {
    case "invalid_url":
      return new ApiError(
        "parameter_invalid",
        "`validation_url` must be the URL that Safari passes to `onvalidatemerchant`: an HTTPS URL of Apple's servers.",
        { param: "validation_url" },
      );
    case "unknown_domain":
      return new ApiError(
        "parameter_invalid",
        "`domain` must be one of the domains that the operator has registered with Apple for this account. Ask the operator to register it.",
        { param: "domain" },
      );
    case "not_offered":
      return new ApiError(
        "parameter_invalid",
        "`id` must be a session that offers Apple Pay. Sessions in test mode or of mode `setup` never offer it. In live mode, the account may not accept it, or its certificate may have expired. Pay with a card.",
        { param: "id" },
      );
    case "busy":
      return new ApiError(
        "rate_limit_exceeded",
        "Too many requests to Apple's server are in progress. Retry in 1 s.",
        { retryAfterSeconds: 1 },
      );
    case "failed":
      // The status is not a server error, because that would page the operator. A metric and a warning report the
      // failure.
      return new ApiError(
        "wallet_session_failed",
        "Apple's server returned no merchant session. Open Apple Pay again, or pay with a card.",
      );
  }
}
