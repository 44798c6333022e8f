/** A token bucket. It holds at most `capacity` tokens and gains `perSecond` tokens a second. */
export type TokenBucket = {
  tokens: number;
  filledAt: number;
  readonly perSecond: number;
  readonly capacity: number;
};

/** The size of a bucket: its refill rate and its capacity. */
export type BucketSize = { readonly perSecond: number; readonly capacity: number };

/** The result of taking a token. */
export type Taken =
  /** `tokens`: the tokens that are left in the bucket. */
  | { readonly taken: true; readonly tokens: number }
  /** `waitMs`: the time until the bucket has a token again. */
  | { readonly taken: false; readonly waitMs: number };

/** Creates a full bucket. Times are in milliseconds of a clock that never goes back, such as `performance.now`. */
export function fullBucket(perSecond: number, capacity: number, now: number): TokenBucket {
  return { tokens: capacity, filledAt: now, perSecond, capacity };
}

/** Returns the number of tokens at this time. */
export function refilledTokens(bucket: TokenBucket, now: number): number {
  const { tokens, filledAt, perSecond, capacity } = bucket;
  return Math.min(capacity, tokens + ((now - filledAt) / 1000) * perSecond);
}

/** Takes a token and returns 0. If the bucket is empty, returns the milliseconds until the next token. */
export function takeToken(bucket: TokenBucket, now: number): number {
  bucket.tokens = refilledTokens(bucket, now);
  bucket.filledAt = now;
  if (bucket.tokens < 1) return ((1 - bucket.tokens) / bucket.perSecond) * 1000;
  bucket.tokens -= 1;
  return 0;
}
