import assert from "node:assert/strict";
import { getTestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "./slowness.ts";
import type { TestTimers } from "./test-timers.ts";

/**
 * The timers of this process's services and workers, with the last use of each. Several test files may share the
 * process.
 */
const running = new Map<TestTimers, Use>();

type Use = {
  readonly at: number;
  /** The file of the test that sent the request, or undefined for a request outside of a test. */
  readonly file: string | undefined;
};

/** Records a request to the service with these timers. */
export function noteUse(timers: TestTimers): void {
  running.set(timers, { at: performance.now(), file: getTestContext()?.filePath });
}

/** Records that the service with these timers is closed. */
export function noteClose(timers: TestTimers): void {
  running.delete(timers);
}

/** Returns the timers of the services that the calling test uses. */
function timersInUse(): TestTimers[] {
  const file = getTestContext()?.filePath;
  const latest = Math.max(...[...running.values()].map(({ at }) => at));
  const isInUse = (use: Use) =>
    file && use.file ? use.file === file : use.at > latest - usedWithinMs;
  return [...running].filter(([, use]) => isInUse(use)).map(([timers]) => timers);
}

/** The interval at which a waiting test reads the value. */
const readEveryMs = 25;
/**
 * The interval at which a waiting test ends the waits of the background loops. Each time, the loops execute some thirty
 * statements, so the interval doubles up to a maximum.
 */
const firstTurnMs = 200;
const maxTurnMs = 800;

/** Most tests wait for a loop with at most this interval. Longer waits are ended only every third time. */
const shortWaitMs = 10_000;

/** A request outside of a test names no file. Its service counts as in use for this long after the request. */
const usedWithinMs = 10_000;

/**
 * Reads repeatedly until the value satisfies the condition. After the deadline, fails the test and reports the last
 * value. Ends the waits of the background loops while it waits, because their intervals are several seconds.
 */
export async function until<Value>(
  read: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  withinMs = 15_000,
): Promise<Value> {
  const deadline = performance.now() + slowed(withinMs);
  let turnAt = 0;
  let turnMs = firstTurnMs;
  let turns = 0;
  for (;;) {
    const value = await read();
    if (satisfies(value)) return value;
    const now = performance.now();
    assert.ok(
      now < deadline,
      `The condition was not satisfied in time. Last value: ${JSON.stringify(value)}`,
    );
    if (now >= turnAt) {
      turns += 1;
      const maxDelayMs = turns % 3 === 0 ? Infinity : shortWaitMs;
      for (const timers of timersInUse()) timers.elapse(maxDelayMs);
      turnAt = now + turnMs;
      turnMs = Math.min(2 * turnMs, maxTurnMs);
    }
    await sleep(readEveryMs);
  }
}
