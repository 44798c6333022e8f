import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { slowed } from "./slowness.ts";
import type { TestTimers } from "./test-timers.ts";

/**
 * The timers of this process's services and workers, with the time of the last request to each. Several test files may
 * share the process.
 */
export const running = new Map<TestTimers, number>();

/** The intervals at which a waiting test reads the value and ends the waits of the background loops. */
const readEveryMs = 25;
const turnEveryMs = 200;

/**
 * The background loops of a service stay idle if its last request is this much older than the latest request of the
 * process, because the service then belongs to another test file. A test may wait longer than this without a request.
 */
const usedWithinMs = 10_000;

/**
 * Reads repeatedly until the value satisfies the condition. After the deadline, fails the test and reports the last
 * value. Ends the waits of the background loops while it waits, because their intervals are several seconds.
 */
export function until<Value>(
  read: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  withinMs = 15_000,
): Promise<Value> {
  let turnAt = 0;
  return poll(read, satisfies, withinMs, () => {
    const now = performance.now();
    if (now < turnAt) return;
    const latest = Math.max(...[...running.values()].filter(Number.isFinite));
    for (const [timers, usedAt] of running) if (usedAt > latest - usedWithinMs) timers.elapse();
    turnAt = now + turnEveryMs;
  });
}

/**
 * Waits like `until`, but does not end any waits. The timeouts of requests to an acquirer are waits too, so `until` can
 * end such a request early.
 */
export function untilInRealTime<Value>(
  read: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  withinMs = 15_000,
): Promise<Value> {
  return poll(read, satisfies, withinMs, () => {});
}

async function poll<Value>(
  read: () => Promise<Value>,
  satisfies: (value: Value) => boolean,
  withinMs: number,
  beforeSleep: () => void,
): Promise<Value> {
  const deadline = performance.now() + slowed(withinMs);
  for (;;) {
    const value = await read();
    if (satisfies(value)) return value;
    assert.ok(
      performance.now() < deadline,
      `The condition was not satisfied in time. Last value: ${JSON.stringify(value)}`,
    );
    beforeSleep();
    await sleep(readEveryMs);
  }
}
