import { createHmac, timingSafeEqual } from "node:crypto";
import { type ChargeId, parseId, uuidOf } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";

/**
 * Purposes of callback URLs. Each URL carries a secret, an HMAC of its purpose and transaction under a key that is not
 * in the database. The ACS's page receives `notification` and `method`, and cannot derive another URL from them, in
 * particular not `results`, which only the directory server receives.
 */
export type Callback = "method" | "notification" | "results";

export const callbacks: readonly Callback[] = ["method", "notification", "results"];

export type Addresses = Readonly<Record<Callback, string>>;
export type AddressesOf = (owner: Owner, charge: ChargeId) => Addresses;

export type CallbackKeys = { readonly test: Buffer; readonly live: Buffer };

export type CallbackUrls = {
  addressesOf: AddressesOf;
  /** Returns the scope and charge of a callback. Returns null for a wrong secret. */
  open(callback: Callback, place: CallbackParameters): { owner: Owner; chargeId: ChargeId } | null;
  isCallbackUrlOf: IsCallbackUrlOf;
};

/** Returns whether a URL is exactly the callback URL of this transaction, secret included. */
export type IsCallbackUrlOf = (callback: Callback, url: string, transactionId: string) => boolean;

export type CallbackParameters = { account: string; mode: string; id: string; secret: string };

export const callbackPath = "/three-d-secure/:callback/:account/:mode/:id/:secret";

export type Origins = {
  /** Our origin for browsers. */
  readonly publicUrl: () => string;
  /** Our origin for the directory server. */
  readonly serverUrl: (owner: Owner) => string;
};

export function createCallbackUrls(
  keys: CallbackKeys,
  { publicUrl, serverUrl }: Origins,
): CallbackUrls {
  function secretOf(callback: Callback, { account, livemode }: Owner, id: ChargeId): string {
    const key = livemode ? keys.live : keys.test;
    return createHmac("sha256", key).update(`${callback}|${account}|${id}`).digest("base64url");
  }
  function addressOf(callback: Callback, origin: string, owner: Owner, id: ChargeId): string {
    const mode = owner.livemode ? "live" : "test";
    return `${origin}/three-d-secure/${callback}/${owner.account}/${mode}/${id}/${secretOf(callback, owner, id)}`;
  }
  const open: CallbackUrls["open"] = (callback, { account, mode, id, secret }) => {
    const owner = parseOwner(account, mode);
    const chargeId = parseId("ch", id);
    if (!owner || !chargeId) return null;
    const expected = Buffer.from(secretOf(callback, owner, chargeId));
    const given = Buffer.from(secret);
    const fits = expected.length === given.length && timingSafeEqual(expected, given);
    return fits ? { owner, chargeId } : null;
  };
  const addressesOf: AddressesOf = (owner, id) => ({
    method: addressOf("method", publicUrl(), owner, id),
    notification: addressOf("notification", publicUrl(), owner, id),
    results: addressOf("results", serverUrl(owner), owner, id),
  });
  return {
    addressesOf,
    isCallbackUrlOf(callback, url, transactionId) {
      const [secret = "", id = "", mode = "", account = ""] = url.split("/").toReversed();
      const opened = open(callback, { account, mode, id, secret });
      if (!opened) return false;
      const { owner, chargeId } = opened;
      return (
        url === addressesOf(owner, chargeId)[callback] &&
        transactionId.toLowerCase() === uuidOf(chargeId)
      );
    },
    open,
  };
}

/** Parses account and mode from a path, such as `acct_…` and `test`. */
export function parseOwner(account: string, mode: string): Owner | null {
  const id = parseId("acct", account);
  if (!id || (mode !== "test" && mode !== "live")) return null;
  return { account: id, livemode: mode === "live" };
}
