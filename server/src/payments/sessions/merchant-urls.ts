import { fillPlaceholders } from "@florin/contract/web-address.ts";
import { type Account, settingsOf } from "../../identity/accounts/account.ts";
import type { CheckoutSession } from "./checkout-session.ts";

/** Returns the merchant's return URLs with their placeholders replaced. */
export function returnUrls({ id, chargeId, clientReferenceId, details }: CheckoutSession) {
  const filled = (url: string | null) =>
    url &&
    fillPlaceholders(url, {
      CHECKOUT_SESSION_ID: id,
      CHARGE_ID: chargeId,
      CLIENT_REFERENCE_ID: clientReferenceId,
    });
  return {
    success_url: filled(details.success_url),
    cancel_url: filled(details.cancel_url),
    return_url: filled(details.return_url),
  };
}

/**
 * Returns the origins that may frame the session's card form: the session's `allowed_origins`, or else those of the
 * account in this mode. In test mode the account's origins include every page on `localhost`.
 */
export function framingOrigins({ details, scope }: CheckoutSession, account: Account): string[] {
  if (details.allowed_origins.length > 0) return details.allowed_origins;
  const local = scope.livemode ? [] : ["http://localhost:*", "http://127.0.0.1:*"];
  return [...settingsOf(account, scope.livemode).allowedOrigins, ...local];
}
