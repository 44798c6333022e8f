import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { paceLargeReads } from "./pace-large-reads.ts";

const large = { status: 200, body: "x".repeat(600 * 1024) };
const small = { status: 200, body: "{}" };

/** Runs four reads at once, and returns how many of them ran at the same time. */
async function maxRunning(read: ReturnType<typeof paceLargeReads>, merchant: string) {
  let running = 0;
  let max = 0;
  const work = async () => {
    running += 1;
    max = Math.max(max, running);
    await sleep(1);
    running -= 1;
    return small;
  };
  await Promise.all(Array.from({ length: 4 }, () => read(merchant, work)));
  return max;
}

test("after a large response, only the reads of its merchant run one at a time", async () => {
  const read = paceLargeReads();
  await read("one", async () => small);
  assert.equal(await maxRunning(read, "one"), 4);
  assert.equal(await read("one", async () => large), large);
  assert.equal(await maxRunning(read, "one"), 1);
  assert.equal(await maxRunning(read, "other"), 4);
});

test("after a large response, other work gets the event loop for as long as the read occupied it", async () => {
  const read = paceLargeReads();
  const busyMs = 40;
  const start = performance.now();
  await read("one", async () => {
    await sleep(1);
    while (performance.now() - start < busyMs);
    return large;
  });
  const took = performance.now() - start;
  assert(took >= 1.8 * busyMs, `The read took ${took} ms.`);
});
