import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "./slowness.ts";
import type { TestTimers } from "./test-timers.ts";

/**
 * The timers of this process's services and workers, with the time of the last request to each. Several test files may
 * share the process.
 */
export const running = new Map<TestTimers, number>();

/** The interval at which a waiting test reads the value. */
const readEveryMs = 25;
/**
 * The interval at which it ends the waits of the background loops. Each turn executes some thirty statements, so the
 * interval doubles up to a maximum.
 */
const firstTurnMs = 200;
const maxTurnMs = 800;

/**
 * Tests wait mostly for loops that wait for at most this long. Only every third turn also ends the longer waits, which
 * are those of the loops that delete old rows.
 */
const shortWaitMs = 60_000;

/**
 * The background loops of a service stay idle if its last request is this much older than the latest request of the
 * process, because the service then belongs to another test file. A test may wait longer than this without a request.
 */
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
      const latest = Math.max(...[...running.values()].filter(Number.isFinite));
      turns += 1;
      const maxDelayMs = turns % 3 === 0 ? Infinity : shortWaitMs;
      for (const [timers, usedAt] of running) {
        if (usedAt > latest - usedWithinMs) timers.elapse(maxDelayMs);
      }
      turnAt = now + turnMs;
      turnMs = Math.min(2 * turnMs, maxTurnMs);
    }
    await sleep(readEveryMs);
  }
}
