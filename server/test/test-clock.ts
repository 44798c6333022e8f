import type { Clock } from "../src/core/clock.ts";

/** A clock that shows the real time until the test advances or stops it. */
export type TestClock = Clock & {
  /** Advances the clock. In their next iteration, background loops run the jobs that have become due. */
  advance(milliseconds: number): void;
  stop(): void;
};

export function createTestClock(): TestClock {
  let aheadMs = 0;
  let stoppedAt: number | null = null;
  return {
    now: () => new Date((stoppedAt ?? Date.now()) + aheadMs),
    advance: (milliseconds) => {
      aheadMs += milliseconds;
    },
    stop: () => {
      stoppedAt ??= Date.now();
    },
  };
}

/**
 * Advances the clock past midnight UTC if the day ends within an hour. The times of a test file that runs for minutes
 * are then on one day. Returns the milliseconds by which it advanced, so that a test can advance the clock of an
 * acquirer's fake by the same amount.
 */
export function skipEndOfDay(clock: TestClock): number {
  const leftMs = day - (clock.now().getTime() % day);
  if (leftMs >= hour) return 0;
  clock.advance(leftMs + second);
  return leftMs + second;
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
