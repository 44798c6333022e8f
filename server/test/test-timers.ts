import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemTimers, type Timers } from "../src/core/timers.ts";
import type { Background, Loop } from "../src/platform/jobs/loop.ts";
import { slowed } from "./slowness.ts";

/** Timers whose waits end only when the test ends them. Until then, no background loop runs. */
export type TestTimers = Timers & {
  /** Ends all waits, or those of at most this duration. Returns before the loops have run. */
  elapse(maxDelayMs?: number): void;
  /**
   * Ends all waits, and returns when every loop waits again. A test can then assert what the loops did and what they
   * did not do.
   */
  turn(): Promise<void>;
};

/** Creates timers. With `inRealTime`, waits also end after their delays, for tests that only send requests. */
export function createTestTimers({ inRealTime = false } = {}): TestTimers {
  /** The function that ends each wait, with the delay that the loop requested. */
  const waiting = new Map<() => void, number>();
  /**
   * The number of loops. It is the maximum number of simultaneous waits so far, because each loop has one wait at a
   * time.
   */
  let loops = 1;

  function elapse(maxDelayMs = Infinity): void {
    for (const [due, delayMs] of [...waiting]) if (delayMs <= maxDelayMs) due();
  }

  async function allWait(): Promise<void> {
    const deadline = performance.now() + slowed(20_000);
    while (waiting.size < loops) {
      assert.ok(
        performance.now() < deadline,
        `${loops - waiting.size} loops have not finished their iteration`,
      );
      await sleep(1);
    }
  }

  return {
    after(delayMs, due) {
      waiting.set(due, delayMs);
      loops = Math.max(loops, waiting.size);
      const cancel = inRealTime ? systemTimers.after(delayMs, due) : () => undefined;
      return () => {
        waiting.delete(due);
        cancel();
      };
    },
    elapse,
    async turn() {
      await allWait();
      elapse();
      await allWait();
    },
  };
}

/** Returns a background whose loops fail the test if they throw. Without `timers`, they run in real time. */
export function testBackground(timers: Timers = systemTimers): Background {
  return { timers, onError: (name, error) => assert.fail(`${name}: ${error}`) };
}

/** Runs a loop until it has no more work, and stops it. */
export async function oneTurnOf(start: (background: Background) => Loop): Promise<void> {
  const timers = createTestTimers();
  const loop = start(testBackground(timers));
  await timers.turn();
  await loop.stop();
}
