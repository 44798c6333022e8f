import { ApiError } from "../../core/api-error.ts";
import {
  fullBucket,
  refilledTokens,
  type TokenBucket,
  takeToken,
} from "../../core/token-bucket.ts";

/**
 * Counts a request against a limit. Returns the state of the limit, or null when there is no limit. When the limit is
 * exceeded, throws a 429 with the number of seconds to wait. `keyPerSecond` replaces the default limit for this key.
 */
export type RateLimit = {
  (key: string, keyPerSecond?: number | null): RateLimitState | null;
  /** Returns whether the next request of this key would exceed its limit. Counts nothing. */
  isExceeded(key: string): boolean;
};

export type RateLimitState = {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly resetSeconds: number;
};

export type RateLimitOptions = {
  /** The burst size. The default is one second's worth of requests. */
  readonly burst?: number;
  /** The name of the counted requests in the error message. */
  readonly counted?: string;
  readonly code?: "rate_limit_exceeded" | "endpoint_rate_limit_exceeded";
};

/**
 * Creates a rate limit with one token bucket per key. Each bucket is refilled with the limit's number of tokens per
 * second. The buckets are in this process's memory, so each of several servers behind a load balancer applies the limit
 * separately. If `defaultPerSecond` is null, only keys with a limit of their own are counted.
 */
export function createRateLimit(
  defaultPerSecond: number | null,
  options: RateLimitOptions = {},
): RateLimit {
  const buckets = createBuckets();

  const count = (key: string, keyPerSecond?: number | null): RateLimitState | null => {
    const perSecond = keyPerSecond ?? defaultPerSecond;
    if (perSecond === null) return null;
    const capacity = Math.max(options.burst ?? perSecond, perSecond);
    const now = performance.now();
    let bucket = buckets.get(key);
    // A bucket whose limit was changed starts full.
    if (bucket?.perSecond !== perSecond) {
      bucket = fullBucket(perSecond, capacity, now);
      buckets.set(key, bucket);
    }
    const waitMs = takeToken(bucket, now);
    if (waitMs > 0) throw exceeded(perSecond, waitMs / 1000, options);
    return {
      limit: perSecond,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((capacity - bucket.tokens) / perSecond),
    };
  };

  const isExceeded = (key: string): boolean => {
    const bucket = buckets.get(key);
    return bucket !== undefined && refilledTokens(bucket, performance.now()) < 1;
  };
  return Object.assign(count, { isExceeded });
}

const maxBuckets = 100_000;

/**
 * Stores buckets in two generations. When the younger generation is full, it replaces the older one, whose buckets are
 * dropped. A bucket of the older generation moves to the younger when it is used. Memory is therefore bounded, no request
 * is delayed by a cleanup, and new keys do not evict an active key.
 */
function createBuckets() {
  let younger = new Map<string, TokenBucket>();
  let older = new Map<string, TokenBucket>();

  function set(key: string, bucket: TokenBucket): void {
    if (younger.size >= maxBuckets / 2) {
      older = younger;
      younger = new Map();
    }
    younger.set(key, bucket);
  }

  function get(key: string): TokenBucket | undefined {
    const recent = younger.get(key);
    if (recent) return recent;
    const bucket = older.get(key);
    if (bucket) set(key, bucket);
    return bucket;
  }

  return { get, set };
}

function exceeded(perSecond: number, waitSeconds: number, options: RateLimitOptions): ApiError {
  const { counted = "requests", code = "rate_limit_exceeded" } = options;
  const retryAfterSeconds = Math.max(1, Math.ceil(waitSeconds));
  return new ApiError(
    code,
    `The limit of ${perSecond} ${counted} per second was exceeded. Wait ${retryAfterSeconds} s, then retry with exponential backoff.`,
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
