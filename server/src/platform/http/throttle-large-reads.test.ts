import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "./route.ts";
import { type ThrottleReads, throttleLargeReads } from "./throttle-large-reads.ts";

const large = { status: 200, body: "x".repeat(600 * 1024) };
const small = { status: 200, body: "{}" };

/** Runs four reads at once, and returns how many of them ran at the same time. */
async function maxRunning(read: ThrottleReads, merchant: string): Promise<number> {
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

test("after a large response, only the reads of its merchant run one at a time, until the time has passed", async () => {
  let end = (): void => undefined;
  const read = throttleLargeReads({
    after: (_delayMs, due) => {
      end = due;
      return () => undefined;
    },
  });
  await read("one", async () => small);
  assert.equal(await maxRunning(read, "one"), 4);
  assert.equal(await read("one", async () => large), large);
  assert.equal(await maxRunning(read, "one"), 1);
  assert.equal(await maxRunning(read, "other"), 4);
  end();
  assert.equal(await maxRunning(read, "one"), 4);
});

test("a download does not limit the reads of its merchant", async () => {
  const read = throttleLargeReads();
  const download: ApiResponse = { ...small, stream: (async function* () {})() };
  await read("one", async () => download);
  assert.equal(await maxRunning(read, "one"), 4);
});

test("after a large response, other work gets the event loop for as long as the read occupied it", async () => {
  const read = throttleLargeReads({ after: () => () => undefined });
  const busyMs = 40;
  let endedAt = 0;
  await read("one", async () => {
    await sleep(1);
    const startedAt = performance.now();
    while (performance.now() - startedAt < busyMs);
    endedAt = performance.now();
    return large;
  });
  const pauseMs = performance.now() - endedAt;
  assert(pauseMs >= 0.9 * busyMs, `The read paused for ${pauseMs} ms.`);
});
