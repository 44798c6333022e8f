import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestTimers, testBackground } from "../../../test/test-timers.ts";
import { startLoop } from "./loop.ts";

const everyMs = 1_000_000;

/** Returns work whose turns each wait until the test lets them finish. `started` lists the started turns. */
function heldWork() {
  const started: (() => void)[] = [];
  return {
    started,
    work: () => new Promise<boolean>((resolve) => started.push(() => resolve(false))),
  };
}

/** Waits until all pending promise callbacks have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("the next turn follows immediately after a turn that did work", async () => {
  let remaining = 5;
  const timers = createTestTimers();
  const background = testBackground(timers);
  const loop = startLoop({ name: "test", everyMs, work: async () => remaining-- > 0, background });
  await settle();
  assert.equal(remaining, 5, "the first turn waits for the timers");
  timers.elapse();
  await settle();
  assert.equal(remaining, -1);
  await loop.stop();
});

test("the next turn follows after a wait if a turn left no work", async () => {
  const delays: number[] = [];
  const timers = createTestTimers();
  let turns = 0;
  const loop = startLoop({
    name: "test",
    everyMs,
    work: async () => ++turns < 0,
    background: testBackground({
      after(delayMs, due) {
        delays.push(delayMs);
        return timers.after(delayMs, due);
      },
    }),
  });
  await timers.turn();
  assert.deepEqual([turns, delays], [1, [0, everyMs]]);
  await timers.turn();
  assert.deepEqual([turns, delays], [2, [0, everyMs, everyMs]]);
  await loop.stop();
});

test("wake ends the wait, and a wake during a turn takes effect afterwards", async () => {
  const { started, work } = heldWork();
  const background = testBackground(createTestTimers());
  const loop = startLoop({ name: "test", everyMs, work, background });
  loop.wake();
  await settle();
  loop.wake();
  loop.wake();
  started[0]?.();
  await settle();
  assert.equal(started.length, 2);
  started[1]?.();
  await settle();
  assert.equal(started.length, 2, "two calls during a turn cause one more turn");
  loop.wake();
  await settle();
  assert.equal(started.length, 3);
  started[2]?.();
  await loop.stop();
});

test("a failed turn is reported and retried with backoff, which wake does not shorten", async () => {
  const errors: unknown[] = [];
  const delays: number[] = [];
  const timers = createTestTimers();
  const loop = startLoop({
    name: "test",
    everyMs,
    maxBackoffMs: 300,
    work: async () => {
      if (delays.length < 5) throw new Error("the database is away");
      return false;
    },
    background: {
      timers: {
        after(delayMs, due) {
          delays.push(delayMs);
          return timers.after(delayMs, due);
        },
      },
      onError: (_, error) => errors.push(error),
    },
  });
  await timers.turn();
  loop.wake();
  await settle();
  assert.equal(errors.length, 1);
  for (let retries = 0; retries < 4; retries++) await timers.turn();
  assert.deepEqual([errors.length, delays], [4, [0, 100, 200, 300, 300, everyMs]]);
  await loop.stop();
});

test("stop lets the running turn finish and starts no other", async () => {
  const { started, work } = heldWork();
  const timers = createTestTimers();
  const loop = startLoop({ name: "test", everyMs, work, background: testBackground(timers) });
  timers.elapse();
  await settle();
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await settle();
  assert.equal(stopped, false);
  started[0]?.();
  await stopping;
  timers.elapse();
  await settle();
  assert.equal(started.length, 1);
});

test("stop ends a wait or a backoff immediately", async () => {
  for (const fails of [false, true]) {
    const timers = createTestTimers();
    const loop = startLoop({
      name: "test",
      everyMs,
      work: async () => {
        if (fails) throw new Error("the database is away");
        return false;
      },
      background: { timers, onError: () => undefined },
    });
    await timers.turn();
    await loop.stop();
  }
});
