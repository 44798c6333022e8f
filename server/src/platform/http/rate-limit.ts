import { ApiError } from "../../core/api-error.ts";
import type { Taken } from "../../core/token-bucket.ts";
import {
  createLocalBuckets,
  type LocalTokenBuckets,
  type TokenBuckets,
} from "../processes/token-buckets.ts";

/**
 * Counts a request against a limit. Returns the state of the limit, or null when there is no limit. When the limit is
 * exceeded, throws a 429 with the number of seconds to wait. `keyPerSecond` replaces the default limit for this key.
 * With several processes, returns a promise if the request must wait for the primary process.
 */
export type RateLimit = {
  (
    key: string,
    keyPerSecond?: number | null,
  ): RateLimitState | null | Promise<RateLimitState | null>;
  /** Returns whether the next request of this key would exceed its limit. Counts nothing. */
  isExceeded(key: string): boolean;
};

/** The limit of a single process. It never returns a promise. */
export type LocalRateLimit = {
  (key: string, keyPerSecond?: number | null): RateLimitState | null;
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
 * second. All processes of a service share the buckets, but several servers behind a load balancer apply the limit
 * separately. If `defaultPerSecond` is null, only keys with a limit of their own are counted.
 */
export function createRateLimit(
  defaultPerSecond: number | null,
  options?: RateLimitOptions,
  buckets?: LocalTokenBuckets,
): LocalRateLimit;
export function createRateLimit(
  defaultPerSecond: number | null,
  options: RateLimitOptions,
  buckets: TokenBuckets,
): RateLimit;
export function createRateLimit(
  defaultPerSecond: number | null,
  options: RateLimitOptions = {},
  buckets: TokenBuckets = createLocalBuckets(),
): RateLimit {
  const count: RateLimit = Object.assign(
    (key: string, keyPerSecond?: number | null) => {
      const perSecond = keyPerSecond ?? defaultPerSecond;
      if (perSecond === null) return null;
      const size = { perSecond, capacity: Math.max(options.burst ?? perSecond, perSecond) };
      const stateAfter = (taken: Taken): RateLimitState => {
        if (!taken.taken) throw exceeded(perSecond, taken.waitMs / 1000, options);
        return {
          limit: perSecond,
          remaining: Math.floor(taken.tokens),
          resetSeconds: Math.ceil((size.capacity - taken.tokens) / perSecond),
        };
      };
      const taken = buckets.take(key, size);
      return taken instanceof Promise ? taken.then(stateAfter) : stateAfter(taken);
    },
    { isExceeded: buckets.isEmpty },
  );
  return count;
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
