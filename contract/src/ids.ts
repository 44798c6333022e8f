import Type from "typebox";

/** All id prefixes of the API, with the object that each denotes. */
export const idPrefixes = {
  acct: "account",
  app: "application",
  doc: "document",
  key: "API key",
  cs: "checkout session",
  ch: "charge",
  re: "refund",
  pm: "payment method",
  cus: "customer",
  dec: "decision",
  rule: "rule",
  lst: "list entry",
  dp: "dispute",
  file: "dispute file",
  evt: "event",
  inv: "invitation",
  mem: "member",
  we: "webhook endpoint",
  whd: "webhook delivery",
  txn: "balance transaction",
  po: "payout",
  per: "person",
  log: "audit entry",
  rec: "reconciliation",
  dif: "difference",
  req: "request",
  view: "saved view",
  tn: "notification",
  rcpt: "receipt",
} as const;

export type IdPrefix = keyof typeof idPrefixes;

const suffix = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/**
 * Returns the pattern of an ID: the prefix and 26 characters of Crockford's base32, the first of which encodes only
 * three bits.
 */
export function idPattern(prefix: IdPrefix): string {
  // Also accepts the fixed names of test payment methods (`pm_card_visa`), so that examples can be typed by hand.
  return prefix === "pm" ? `^pm_(${suffix}|card_[A-Za-z0-9_]{1,60})$` : `^${prefix}_${suffix}$`;
}

/** Returns an ID for examples. For a payment method it is the Visa test card, so that examples can be run unchanged. */
export function exampleId(prefix: IdPrefix): string {
  return prefix === "pm" ? "pm_card_visa" : `${prefix}_01kdvtxc00e9m8q2v7z4h6k1sb`;
}

/** An id in a response. */
export function id<Prefix extends IdPrefix>(prefix: Prefix, description: string) {
  return Type.Unsafe<`${Prefix}_${string}`>(
    Type.String({ pattern: idPattern(prefix), description }),
  );
}

/** An ID in a request. The server rejects an unknown ID with `resource_missing`. */
export function idParameter(prefix: IdPrefix, description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 255,
    description: `${description} Begins with \`${prefix}_\`.`,
    examples: [exampleId(prefix)],
  });
}
