import { createHmac, timingSafeEqual } from "node:crypto";
import { type AttemptId, parseAttemptId, parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";

/**
 * The purposes of callback URLs. Each URL contains a secret: an HMAC of the purpose and the transaction, with a key
 * that is not in the database. The ACS receives the `notification` and `method` URLs. Only the directory server
 * receives the `results` URL, which the ACS cannot derive from the other two. `return` is for acquirers that
 * authenticate the cardholder on their own page.
 */
export type Callback = "method" | "notification" | "results" | "return";

export const callbacks: readonly Callback[] = ["method", "notification", "results", "return"];

export type Addresses = Readonly<Record<Callback, string>>;
export type AddressesOf = (scope: Scope, attempt: AttemptId) => Addresses;

export type CallbackKeys = { readonly test: Buffer; readonly live: Buffer };

export type CallbackUrls = {
  addressesOf: AddressesOf;
  /** Returns the scope and the attempt of a callback. Returns null for a wrong secret. */
  open(
    callback: Callback,
    place: CallbackParameters,
  ): { scope: Scope; attemptId: AttemptId } | null;
  isCallbackUrlOf: IsCallbackUrlOf;
};

/** Returns whether a URL, including its secret, is the callback URL of this transaction. */
export type IsCallbackUrlOf = (callback: Callback, url: string, transactionId: string) => boolean;

export type CallbackParameters = { account: string; mode: string; id: string; secret: string };

export const callbackPath = "/three-d-secure/:callback/:account/:mode/:id/:secret";

export type Origins = {
  /** Our origin for browsers. */
  readonly publicUrl: () => string;
  /** Our origin for the directory server. */
  readonly serverUrl: (scope: Scope) => string;
};

export function createCallbackUrls(
  keys: CallbackKeys,
  { publicUrl, serverUrl }: Origins,
): CallbackUrls {
  function secretOf(callback: Callback, { account, livemode }: Scope, id: AttemptId): string {
    const key = livemode ? keys.live : keys.test;
    return createHmac("sha256", key).update(`${callback}|${account}|${id}`).digest("base64url");
  }
  function addressOf(callback: Callback, origin: string, scope: Scope, id: AttemptId): string {
    const mode = scope.livemode ? "live" : "test";
    return `${origin}/three-d-secure/${callback}/${scope.account}/${mode}/${id}/${secretOf(callback, scope, id)}`;
  }
  const open: CallbackUrls["open"] = (callback, { account, mode, id, secret }) => {
    const scope = parseScope(account, mode);
    const attemptId = parseAttemptId(id);
    if (!scope || !attemptId) return null;
    const expected = Buffer.from(secretOf(callback, scope, attemptId));
    const given = Buffer.from(secret);
    const fits = expected.length === given.length && timingSafeEqual(expected, given);
    return fits ? { scope, attemptId } : null;
  };
  const addressesOf: AddressesOf = (scope, id) => ({
    method: addressOf("method", publicUrl(), scope, id),
    notification: addressOf("notification", publicUrl(), scope, id),
    results: addressOf("results", serverUrl(scope), scope, id),
    return: addressOf("return", publicUrl(), scope, id),
  });
  return {
    addressesOf,
    isCallbackUrlOf(callback, url, transactionId) {
      const [secret = "", id = "", mode = "", account = ""] = url.split("/").toReversed();
      const opened = open(callback, { account, mode, id, secret });
      if (!opened) return false;
      const { scope, attemptId } = opened;
      return (
        url === addressesOf(scope, attemptId)[callback] &&
        transactionId.toLowerCase() === uuidOf(attemptId)
      );
    },
    open,
  };
}

/** Parses the account and the mode in a path, such as `acct_…` and `test`. Returns null if one of them is invalid. */
export function parseScope(account: string, mode: string): Scope | null {
  const id = parseId("acct", account);
  if (!id || (mode !== "test" && mode !== "live")) return null;
  return { account: id, livemode: mode === "live" };
}
