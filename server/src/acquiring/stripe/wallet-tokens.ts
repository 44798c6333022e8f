import { objectOf, parseJsonObject, textOf } from "../json-object.ts";
import type { HttpResponse, Rejected } from "../outcome.ts";
import type { StripeRequest } from "./requests.ts";
import { errorOf, failureOf } from "./responses.ts";

/*
 * Google Pay returns a token that Stripe has already decrypted: a Token object with the ID of a single-use token.
 * Anyone who knows the publishable key can create such tokens for card numbers that they type. Florin therefore reads
 * each token before it charges the token, and accepts only a token that a wallet created. Otherwise an attacker could
 * use tokens to test card numbers without the limits of the card form.
 */

/**
 * The timeout of the request that reads a token. This timeout and `createTimeoutMs` are short, so that the confirmation
 * can then use the full response timeout of the client.
 */
const readTimeoutMs = 3_000;
/** The timeout of the request that creates the payment. */
export const createTimeoutMs = 4_000;

/** Returns the ID of the token in Google Pay's response, or null for a text of another form. */
export function tokenIdOf(text: string): string | null {
  const token = parseJsonObject(text);
  const id = token && textOf(token, "id");
  return id !== null && token?.object === "token" && /^tok_[0-9A-Za-z]{8,100}$/.test(id)
    ? id
    : null;
}

export function readTokenRequest(id: string): StripeRequest {
  return {
    method: "GET",
    path: `/v1/tokens/${id}`,
    idempotencyKey: null,
    body: null,
    timeoutMs: readTimeoutMs,
  };
}

/** The values of `tokenization_method` for Google Pay (docs.stripe.com/api/tokens/object). */
const googlePay: ReadonlySet<string | null> = new Set(["google_pay", "android_pay"]);

/**
 * Returns null if the token can be charged: an unused token that Google Pay created. Otherwise returns the outcome of
 * the payment, which was certainly not sent.
 */
export function rejectToken(
  response: HttpResponse,
  id: string,
): Rejected | { readonly kind: "not_sent" } | null {
  const token = parseJsonObject(response.body);
  if (response.status !== 200) {
    const failure = failureOf(response, errorOf(token));
    const rejection = failure.kind === "retry_same_request" ? failure.otherwise : failure;
    if (rejection.kind !== "rejected") return { kind: "not_sent" };
    // A restricted key that may not read tokens can still charge cards, so its connection is not suspended.
    if (response.status === 403) return { ...rejection, why: "invalid_request" };
    return rejection.why === "invalid_request" ? rejected(rejection.acquirerErrorCode) : rejection;
  }
  if (token === null || textOf(token, "id") !== id) return { kind: "not_sent" };
  if (token.used !== false) return rejected("token_already_used");
  return googlePay.has(textOf(objectOf(token, "card"), "tokenization_method"))
    ? null
    : rejected("not_from_google_pay");
}

function rejected(acquirerErrorCode: string | null): Rejected {
  return { kind: "rejected", why: "wallet_token", acquirerErrorCode };
}
