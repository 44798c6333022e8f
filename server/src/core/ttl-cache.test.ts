import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ttlCache } from "./ttl-cache.ts";

test("concurrent callers share one read, and the next call after the TTL reads again", async () => {
  let readings = 0;
  const remembered = ttlCache(50, async (key: string) => `${key} ${++readings}`);
  const concurrent = await Promise.all([remembered("a"), remembered("a"), remembered("b")]);
  assert.deepEqual(concurrent, ["a 1", "a 1", "b 2"]);
  await sleep(70);
  assert.equal(await remembered("a"), "a 3");
});

test("a failure rejects its callers and is not cached", async () => {
  let readings = 0;
  const remembered = ttlCache(60_000, async () => {
    if (++readings === 1) throw new Error("away");
    return readings;
  });
  await assert.rejects(remembered("a"), /away/);
  assert.equal(await remembered("a"), 2);
});
