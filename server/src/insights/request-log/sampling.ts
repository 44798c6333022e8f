/** Decides for each request whether it is logged. */
export type Sample = {
  /** Returns the number of requests dropped since the last logged one, or null if this request is dropped too. */
  take(key: string, failed: boolean, nowMs: number): number | null;
  /** Counts a request as dropped. */
  drop(key: string): void;
};

/** The requests of one account and mode. */
type Tally = {
  /** The requests that are logged even if the process has reached its limit. */
  reserved: number;
  refilledAtMs: number;
  second: number;
  kept: number;
  failures: number;
  leftOut: number;
};

/** The requests of one account and mode that are always logged: a burst, and one more every five seconds. */
const reserved = { burst: 10, everyMs: 5_000 } as const;

/** The maximum number of further requests logged per second, and of failed requests in addition to these. */
const limits = { account: 100, process: 300 } as const;

/** Of the requests above the limits of an account and mode, one of this number is logged. */
const oneOf = 100;
const maxTallies = 100_000;

/**
 * Logs all requests of an account and mode with few requests, even on a busy server. The other requests are limited per
 * account and per process, and of the remaining requests every hundredth is logged
 * (docs/decisions/0027-the-request-log-is-sampled.md).
 */
export function createSampler(): Sample {
  const tallies = new Map<string, Tally>();
  const total = { second: 0, kept: 0, failures: 0 };

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

  function isKept(tally: Tally, failed: boolean): boolean {
    if (tally.reserved >= 1) {
      tally.reserved -= 1;
      return true;
    }
    if (tally.kept < limits.account && total.kept < limits.process) {
      tally.kept += 1;
      total.kept += 1;
      return true;
    }
    if (failed && tally.failures < limits.account && total.failures < limits.process) {
      tally.failures += 1;
      total.failures += 1;
      return true;
    }
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
      if (!isKept(tally, failed)) {
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
