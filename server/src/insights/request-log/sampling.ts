import { keptPerSecond } from "@florin/contract/request-log.ts";

/** Decides for each request whether it is logged. */
export type Sample = {
  /** Returns the number of requests dropped since the last logged one, or null if this request is dropped too. */
  take(key: string, failed: boolean, nowMs: number): number | null;
  /** Counts a request as dropped. */
  drop(key: string): void;
};

type Tally = { second: number; kept: number; failures: number; leftOut: number };

const oneOf = 100;
const maxTallies = 10_000;

/**
 * In each second, keeps the first hundred requests of each account and mode, and another hundred errors. Of all further
 * requests, keeps every hundredth. A merchant with thousands of requests per second sees a sample and the number of
 * requests that it represents.
 */
export function createSampler(): Sample {
  const tallies = new Map<string, Tally>();

  function tallyOf(key: string): Tally {
    let tally = tallies.get(key);
    if (!tally) {
      if (tallies.size >= maxTallies) tallies.clear();
      tally = { second: 0, kept: 0, failures: 0, leftOut: 0 };
      tallies.set(key, tally);
    }
    return tally;
  }

  return {
    take(key, failed, nowMs) {
      const second = Math.floor(nowMs / 1000);
      const tally = tallyOf(key);
      if (tally.second !== second) {
        tally.second = second;
        tally.kept = 0;
        tally.failures = 0;
      }
      if (!isKept(tally, failed)) {
        tally.leftOut += 1;
        return null;
      }
      const { leftOut } = tally;
      tally.leftOut = 0;
      return leftOut;
    },
    drop(key) {
      tallyOf(key).leftOut += 1;
    },
  };
}

function isKept(tally: Tally, failed: boolean): boolean {
  if (tally.kept < keptPerSecond) {
    tally.kept += 1;
    return true;
  }
  if (failed && tally.failures < keptPerSecond) {
    tally.failures += 1;
    return true;
  }
  return (tally.leftOut + 1) % oneOf === 0;
}
