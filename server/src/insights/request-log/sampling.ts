import { alone, type Siblings, shareOf } from "../../platform/processes/siblings.ts";
import { createTokenBuckets } from "../../platform/processes/token-buckets.ts";

/** Decides for each request whether it is logged. */
export type Sample = {
  /** Returns the number of requests dropped since the last logged one, or null if this request is dropped too. */
  take(key: string, failed: boolean, nowMs: number): number | null;
  /** Counts a request as dropped. */
  drop(key: string): void;
};

/** The requests of one account and mode. */
type Tally = {
  /** The number of further requests that are logged even if the process has reached its limit. */
  reserved: number;
  refilledAtMs: number;
  second: number;
  kept: number;
  failures: number;
  leftOut: number;
};

/** The requests of one account and mode that are always logged: a burst, and one more every five seconds. */
const reserved = { burst: 10, everyMs: 5_000 } as const;

/**
 * The maximum number of further requests that are logged per second, for one account and for the whole service. The
 * same number of failed requests may be logged in addition.
 */
const limits = { account: 100, service: 300 } as const;

/** Above these limits, one of this many requests of an account and mode is logged. */
const oneOf = 100;
const maxTallies = 100_000;

/**
 * Logs all requests of an account and mode with few requests, even on a busy server. Further requests are logged up to
 * the limits per account and per service. Above these limits, every hundredth request is logged
 * (docs/decisions/0027-the-request-log-is-sampled.md).
 */
export function createSampler(siblings: Siblings = alone): Sample {
  const tallies = new Map<string, Tally>();
  const total = { second: 0, kept: 0, failures: 0 };
  // Each process may use its part of the service's limit. All requests of an account may reach the same process, so the
  // limit of an account is shared instead of divided.
  const maxTotal = shareOf(limits.service, siblings);
  const shared = siblings.primary && createTokenBuckets("request log of account", siblings);

  /** Counts the request against both limits. Returns whether it is within them. */
  function count(key: string, tally: Tally, what: "kept" | "failures"): boolean {
    if (tally[what] >= limits.account || total[what] >= maxTotal) return false;
    if (shared) {
      const size = { perSecond: limits.account, capacity: limits.account };
      if (!shared.takeAtHand(`${what} ${key}`, size)) return false;
    }
    tally[what] += 1;
    total[what] += 1;
    return true;
  }

  function tallyOf(key: string, nowMs: number): Tally {
    let tally = tallies.get(key);
    if (!tally) {
      if (tallies.size >= maxTallies) tallies.clear();
      const { burst } = reserved;
      const counts = { second: 0, kept: 0, failures: 0, leftOut: 0 };
      tally = { reserved: burst, refilledAtMs: nowMs, ...counts };
      tallies.set(key, tally);
    }
    return tally;
  }

  function isKept(key: string, tally: Tally, failed: boolean): boolean {
    if (tally.reserved >= 1) {
      tally.reserved -= 1;
      return true;
    }
    if (count(key, tally, "kept") || (failed && count(key, tally, "failures"))) return true;
    return (tally.leftOut + 1) % oneOf === 0;
  }

  return {
    take(key, failed, nowMs) {
      const tally = tallyOf(key, nowMs);
      const refill = (nowMs - tally.refilledAtMs) / reserved.everyMs;
      tally.reserved = Math.min(reserved.burst, tally.reserved + refill);
      tally.refilledAtMs = nowMs;
      const second = Math.floor(nowMs / 1000);
      for (const counts of [tally, total]) startSecond(counts, second);
      if (!isKept(key, tally, failed)) {
        tally.leftOut += 1;
        return null;
      }
      const { leftOut } = tally;
      tally.leftOut = 0;
      return leftOut;
    },
    drop(key) {
      tallyOf(key, 0).leftOut += 1;
    },
  };
}

function startSecond(
  counts: { second: number; kept: number; failures: number },
  second: number,
): void {
  if (counts.second === second) return;
  counts.second = second;
  counts.kept = 0;
  counts.failures = 0;
}
