import { keptPerSecond } from "@florin/contract/request-log.ts";

/** Says of each request whether it is kept. */
export type Sample = {
  /** How many were left out before this one; null when this one is left out too. */
  take(key: string, failed: boolean, nowMs: number): number | null;
};

type Tally = { second: number; kept: number; failures: number; leftOut: number };

const oneOf = 100;
const mostTallies = 10_000;

/**
 * Within one second the first hundred of each account and mode are kept, and another hundred errors; after that every
 * hundredth. Whoever sends thousands a second reads a sample, and how much it stands for.
 */
export function openSample(): Sample {
  const tallies = new Map<string, Tally>();

  return {
    take(key, failed, nowMs) {
      const second = Math.floor(nowMs / 1000);
      let tally = tallies.get(key);
      if (!tally) {
        if (tallies.size >= mostTallies) tallies.clear();
        tally = { second, kept: 0, failures: 0, leftOut: 0 };
        tallies.set(key, tally);
      }
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
