import { ApiError } from "../primitives/api-error.ts";

/**
 * Counts against a limit; answers how it stands, or throws the 429 that says when to come back. `own` is the limit of
 * this key, where it has another than the rest. Null: there is no limit for it.
 */
export type RateLimit = (key: string, own?: number | null) => RateLimitState | null;

export type RateLimitState = {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the whole limit is there again. */
  readonly resetSeconds: number;
};

type Bucket = { tokens: number; filledAt: number; perSecond: number };

/**
 * A token bucket per key: `perSecond` requests a second, and as many at once. It lives in this process's
 * memory, so with several servers behind a balancer each grants its own share. Null: only keys with a limit of their
 * own are counted.
 */
export function openRateLimit(usual: number | null): RateLimit {
  const buckets = new Map<string, Bucket>();

  return (key, own) => {
    const perSecond = own ?? usual;
    if (perSecond === null) return null;
    const now = performance.now();
    let bucket = buckets.get(key);
    // One whose limit was changed begins anew, full.
    if (bucket?.perSecond !== perSecond) {
      if (buckets.size >= mostBuckets) forgetFull(buckets, now);
      bucket = { tokens: perSecond, filledAt: now, perSecond };
      buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(
      perSecond,
      bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond,
    );
    bucket.filledAt = now;
    if (bucket.tokens < 1) throw exceeded(perSecond, (1 - bucket.tokens) / perSecond);
    bucket.tokens -= 1;
    return {
      limit: perSecond,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((perSecond - bucket.tokens) / perSecond),
    };
  };
}

const mostBuckets = 100_000;

/** A bucket that has filled up again says the same as none. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [key, { tokens, filledAt, perSecond }] of buckets) {
    if (tokens + ((now - filledAt) / 1000) * perSecond >= perSecond) buckets.delete(key);
  }
}

function exceeded(perSecond: number, waitSeconds: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitSeconds));
  return new ApiError(
    "rate_limit_exceeded",
    `More than ${perSecond} requests a second. Wait ${retryAfterSeconds} s, then retry with exponential backoff.`,
    {
      retryAfterSeconds,
      headers: {
        "ratelimit-limit": String(perSecond),
        "ratelimit-remaining": "0",
        "ratelimit-reset": String(retryAfterSeconds),
      },
    },
  );
}
