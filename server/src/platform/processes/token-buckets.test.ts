import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChannelEnd, createChannelPair } from "./channel.ts";
import { createHub } from "./hub.ts";
import { createTokenBuckets, serveTokenBuckets, type TokenBuckets } from "./token-buckets.ts";

function createWorkers(count: number): { buckets: TokenBuckets[]; ends: ChannelEnd[] } {
  const hub = createHub();
  serveTokenBuckets(hub);
  const ends: ChannelEnd[] = [];
  const buckets = Array.from({ length: count }, (_, index) => {
    const [ofPrimary, primary] = createChannelPair();
    hub.add(ofPrimary);
    ends.push(primary);
    return createTokenBuckets("requests", { index, count, primary });
  });
  return { buckets, ends };
}

/** Waits for the responses of the primary. A request and its response each take one turn of the event loop. */
async function responses(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
}

test("all workers together take at most the capacity of a bucket", async () => {
  const { buckets } = createWorkers(4);
  const size = { perSecond: 0.001, capacity: 50 };
  const taken = await Promise.all(
    Array.from({ length: 200 }, (_, index) => buckets[index % 4]?.take("a", size)),
  );
  assert.equal(taken.filter((one) => one?.taken).length, 50);
});

test("one worker can take the whole capacity", async () => {
  const { buckets } = createWorkers(4);
  const size = { perSecond: 200, capacity: 200 };
  let taken = 0;
  for (let times = 0; times < 200; times++) {
    if ((await buckets[0]?.take("a", size))?.taken) taken += 1;
  }
  assert.equal(taken, 200);
});

test("a worker with a lease does not wait, and renews the lease before it is used up", async () => {
  const { buckets } = createWorkers(2);
  const [worker] = buckets as [TokenBuckets];
  const size = { perSecond: 1_000, capacity: 1_000 };
  assert.ok(worker.take("a", size) instanceof Promise);
  await worker.take("a", size);
  for (let times = 0; times < 200; times++) {
    assert.ok(!(worker.take("a", size) instanceof Promise), `request ${times}`);
    if (times % 10 === 0) await responses();
  }
});

test("after a rejection, a worker treats a bucket as empty until the bucket has a token again", async () => {
  const { buckets } = createWorkers(2);
  const [one, other] = buckets as [TokenBuckets, TokenBuckets];
  const size = { perSecond: 1, capacity: 1 };
  assert.equal((await one.take("a", size)).taken, true);
  assert.equal(other.isEmpty("a"), false);
  const rejected = await other.take("a", size);
  assert.ok(!rejected.taken && rejected.waitMs > 0 && rejected.waitMs <= 1_000);
  assert.equal(other.isEmpty("a"), true);
  assert.equal((await other.take("b", size)).taken, true, "each key has its own bucket");
  await new Promise((resolve) => setTimeout(resolve, 1_010));
  assert.equal((await other.take("a", size)).taken, true);
});

test("takeAtHand never waits, and leases tokens for later calls", async () => {
  const { buckets } = createWorkers(2);
  const [worker] = buckets as [TokenBuckets];
  const size = { perSecond: 100, capacity: 100 };
  assert.equal(worker.takeAtHand("a", size), false);
  await responses();
  assert.equal(worker.takeAtHand("a", size), true);
});

test("a request that waits for tokens fails if the primary process exits", async () => {
  const { buckets, ends } = createWorkers(1);
  const waiting = buckets[0]?.take("a", { perSecond: 1, capacity: 1 });
  ends[0]?.end();
  await assert.rejects(async () => waiting, /the other process has exited/);
});
