import { randomBytes } from "node:crypto";
import type { Payment } from "./payment.ts";
import type { Platform } from "./platform.ts";

/** The path of the authentication page. The token is appended. */
export const redirectPath = "/checkoutshopper/threeDS/redirect/";

/** Returns the redirected payment that the token in the page's URL identifies. */
export function redirectedPayment(platform: Platform, token: string): Payment | null {
  const payment = platform.state.payments.get(token.slice(0, 16));
  return payment?.redirect?.token === token ? payment : null;
}

/** Records the choice on the page and returns the URL to which the cardholder returns. Later choices are ignored. */
export function chooseOutcome(platform: Platform, payment: Payment, form: string): string | null {
  const choice = new URLSearchParams(form).get("outcome");
  if (payment.redirect === null || (choice !== "authenticate" && choice !== "fail")) return null;
  const outcome = payment.redirect.outcome ?? {
    redirectResult: `${payment.pspReference}${randomBytes(24).toString("base64url")}`,
    authenticated: choice === "authenticate",
  };
  const redirect = { ...payment.redirect, outcome };
  platform.state.put("payments", payment.pspReference, { ...payment, redirect });
  const url = new URL(payment.redirect.returnUrl);
  url.searchParams.set("redirectResult", outcome.redirectResult);
  return url.href;
}
