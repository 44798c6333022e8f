import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settle } from "node:timers/promises";
import { createTestTimers, testBackground } from "../../../test/test-timers.ts";
import { type DueWork, startDueWork } from "./due-work.ts";

/** Runs turns of the work and returns the limits that were passed to `take`. */
async function runTurns(turns: number, work: Partial<DueWork<number>>, items: number[][]) {
  const takes: number[] = [];
  const timers = createTestTimers();
  const loop = startDueWork<number>({
    name: "test",
    everyMs: 1_000_000,
    batchSize: 2,
    take: async (limit) => {
      takes.push(limit);
      return items.shift() ?? [];
    },
    handle: async () => undefined,
    background: testBackground(timers),
    ...work,
  });
  for (let turn = 0; turn < turns; turn++) await timers.turn();
  await loop.stop();
  return takes;
}

test("the next batch follows a full batch immediately, and a partial batch after a wait", async () => {
  const handled: number[] = [];
  const handle = async (item: number) => handled.push(item);
  const takes = await runTurns(1, { handle }, [[1, 2], [3, 4], [5]]);
  assert.deepEqual(handled, [1, 2, 3, 4, 5]);
  assert.equal(takes.length, 3);
});

test("with a share, an item that never ends occupies one slot and does not delay other items", async () => {
  const handled: number[] = [];
  const hangs = Promise.withResolvers<void>();
  const running: number[] = [];
  const handle = async (item: number) => {
    running.push(item);
    if (item === 1) await hangs.promise;
    handled.push(item);
  };
  const share = { keyOf: String, size: 2 };
  const ran = runTurns(3, { handle, share }, [[1], [2], [3]]);
  while (running.length < 3) await settle();
  await settle();
  assert.deepEqual(
    [running, handled],
    [
      [1, 2, 3],
      [2, 3],
    ],
  );
  hangs.resolve();
  await ran;
  assert.deepEqual(handled, [2, 3, 1], "stop did not wait for the running items");
});

test("a key that uses its whole share of the slots is passed to take as busy", async () => {
  const hangs = Promise.withResolvers<void>();
  const requested: [number, readonly string[]][] = [];
  const batches = [[1, 3], [5], [2]];
  const timers = createTestTimers();
  const loop = startDueWork<number, "odd" | "even">({
    name: "test",
    everyMs: 1_000_000,
    batchSize: 8,
    share: { keyOf: (item) => (item % 2 ? "odd" : "even"), size: 2 },
    take: async (limit, busy) => {
      requested.push([limit, busy]);
      return batches.shift() ?? [];
    },
    handle: () => hangs.promise,
    background: testBackground(timers),
  });
  await timers.turn();
  await timers.turn();
  await timers.turn();
  hangs.resolve();
  await loop.stop();
  assert.deepEqual(requested.slice(0, 3), [
    [2, []],
    [2, ["odd"]],
    [2, ["odd"]],
  ]);
});

test("the failure of one item is reported and does not stop the others", async () => {
  const handled: number[] = [];
  const failed: number[] = [];
  const work: Partial<DueWork<number>> = {
    handle: async (item) => {
      if (item === 1) throw new Error("no");
      handled.push(item);
    },
    onFailure: (item) => failed.push(item),
  };
  for (const oneByOne of [false, true]) await runTurns(1, { ...work, oneByOne }, [[1, 2]]);
  assert.deepEqual(
    [handled, failed],
    [
      [2, 2],
      [1, 1],
    ],
  );
});

test("after a failure the next turn waits, because the item may still be due", async () => {
  const work = { handle: () => Promise.reject(new Error("no")), onFailure: () => undefined };
  assert.equal(
    (
      await runTurns(1, work, [
        [1, 2],
        [1, 2],
      ])
    ).length,
    1,
  );
});

test("items are handled concurrently, or one after another if configured", async () => {
  for (const oneByOne of [false, true]) {
    let running = 0;
    let max = 0;
    const handle = async () => {
      max = Math.max(max, ++running);
      await settle();
      running--;
    };
    await runTurns(1, { handle, oneByOne, batchSize: 3 }, [[1, 2, 3]]);
    assert.equal(max, oneByOne ? 1 : 3);
  }
});
