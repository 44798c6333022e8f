import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemTimers, type Timers } from "../src/core/timers.ts";
import type { Background } from "../src/platform/jobs/loop.ts";
import { slowed } from "./slowness.ts";

/** Timers whose waits end only when the test ends them. Until then, no background loop runs. */
export type TestTimers = Timers & {
  /** Ends all waits. Returns before the loops have run. */
  elapse(): void;
  /**
   * Ends all waits, and returns when every loop waits again. A test can then assert what the loops did and what they
   * did not do.
   */
  turn(): Promise<void>;
};

/** Creates timers. With `inRealTime`, waits also end after their delays, for tests that only send requests. */
export function createTestTimers({ inRealTime = false } = {}): TestTimers {
  const waiting = new Set<() => void>();
  /**
   * The number of loops. It is the maximum number of simultaneous waits so far, because each loop has one wait at a
   * time.
   */
  let loops = 1;

  function elapse(): void {
    for (const due of [...waiting]) due();
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
      waiting.add(due);
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
