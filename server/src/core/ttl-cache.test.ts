import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ttlCache } from "./ttl-cache.ts";

test("concurrent callers share one read, and the next call after the TTL reads again", async () => {
  let reads = 0;
  const readCached = ttlCache(50, async (key: string) => `${key} ${++reads}`);
  const concurrent = await Promise.all([readCached("a"), readCached("a"), readCached("b")]);
  assert.deepEqual(concurrent, ["a 1", "a 1", "b 2"]);
  await sleep(70);
  assert.equal(await readCached("a"), "a 3");
});

test("a failure rejects its callers and is not cached", async () => {
  let reads = 0;
  const readCached = ttlCache(60_000, async () => {
    if (++reads === 1) throw new Error("away");
    return reads;
  });
  await assert.rejects(readCached("a"), /away/);
  assert.equal(await readCached("a"), 2);
});
