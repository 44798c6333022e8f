import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Taken } from "../../core/token-bucket.ts";
import type { Turn } from "./bucket-queues.ts";
import { type ChannelEnd, createChannelPair } from "./channel.ts";
import { createHub } from "./hub.ts";
import { alone } from "./siblings.ts";
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

/** Waits until a request that was just sent waits in the queue of the primary. */
async function isQueued(): Promise<void> {
  await responses();
  await responses();
}

/**
 * The order in which requests get tokens. After a long turn of the event loop, several tokens are given at once. The
 * workers receive them in any order, but in the same turn.
 */
function createOrder() {
  const served: { readonly name: string; readonly loopTurn: number }[] = [];
  let loopTurn = 0;
  let next = setImmediate(count);
  function count(): void {
    loopTurn += 1;
    next = setImmediate(count);
  }
  return {
    served,
    note: (name: string) => (taken: Taken) => {
      if (taken.taken) served.push({ name, loopTurn });
    },
    /** Returns how many of the requests after the first `skipped` were served in earlier turns than the last `name`. */
    servedBefore(name: string, skipped: number): number {
      const last = served.findLast((one) => one.name === name);
      assert.ok(last, `${name} was not served`);
      return served.slice(skipped).filter((one) => one.loopTurn < last.loopTurn).length;
    },
    end: () => clearImmediate(next),
  };
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

const turnOf = (party: string, more: Partial<Turn> = {}): Turn => ({
  party,
  kind: "payment",
  maxWaitMs: 600,
  maxQueueMs: 400,
  ...more,
});

/** The buckets of a service with one process, and those of each of three workers. */
const services = {
  "one process": () => [createTokenBuckets("requests", alone)],
  "three workers": () => createWorkers(3).buckets,
};

for (const [name, create] of Object.entries(services)) {
  /** Takes a token in each process in turn. */
  function createTaking() {
    const buckets = create();
    let taken = 0;
    return async (size: { perSecond: number; capacity: number }, turn: Turn) => {
      const bucket = buckets[taken++ % buckets.length] as TokenBuckets;
      return bucket.takeInTurn("a", size, turn);
    };
  }

  const size = { perSecond: 50, capacity: 50 };
  const empty = async (take: ReturnType<typeof createTaking>) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => take(size, turnOf("noisy"))));
    assert.ok(all.every(({ taken }) => taken));
  };

  test(`${name}: a request of a quiet party is next, and the noisy party gets the other tokens`, async () => {
    const began = performance.now();
    const take = createTaking();
    await empty(take);
    const order = createOrder();
    const noisy = Array.from({ length: 100 }, () =>
      take(size, turnOf("noisy")).then(order.note("noisy")),
    );
    await sleep(50);
    for (let times = 0; times < 3; times++) {
      const waiting = take(size, turnOf("quiet")).then(order.note("quiet"));
      await isQueued();
      const served = order.served.length;
      await waiting;
      assert.ok(order.servedBefore("quiet", served) <= 1);
    }
    await Promise.all(noisy);
    order.end();
    assert.equal(order.served.filter(({ name }) => name === "quiet").length, 3);
    const seconds = (performance.now() - began) / 1000;
    const count = order.served.length;
    assert.ok(count <= seconds * size.perSecond, `${count} in ${seconds} s`);
    assert.ok(count >= 18, `only ${count} requests were served`);
  });

  test(`${name}: the requests that a party may not add to its queue are rejected at once`, async () => {
    const take = createTaking();
    await empty(take);
    let served = 0;
    /** For each rejected request, the number of requests that were served before its rejection. */
    const rejected: number[] = [];
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const { taken } = await take(size, turnOf("noisy"));
        if (taken) served += 1;
        else rejected.push(served);
      }),
    );
    assert.ok(rejected.length >= 150, `${rejected.length} were rejected`);
    // The others waited for a token, and at most one of them in vain.
    const atOnce = rejected.filter((served) => served < 10).length;
    assert.ok(rejected.length - atOnce <= 1, `${rejected.length - atOnce} waited in vain`);
  });

  test(`${name}: a party with requests of two kinds waits for none of them in vain`, async () => {
    const take = createTaking();
    await empty(take);
    const turns = Array.from({ length: 200 }, (_, index) =>
      turnOf("noisy", { kind: index % 2 === 0 ? "payment" : "operation" }),
    );
    const results = await Promise.all(
      turns.map(async (turn) => [turn, await take(size, turn)] as const),
    );
    // A request that is rejected at once gets a `waitMs` above its `maxQueueMs`. All other rejected requests have
    // waited.
    const inVain = results.filter(
      ([{ maxQueueMs }, one]) => !one.taken && one.waitMs <= maxQueueMs,
    );
    assert.ok(inVain.length <= 1, `${inVain.length} waited in vain`);
  });

  test(`${name}: a party's payments do not delay its operations`, async () => {
    const take = createTaking();
    await empty(take);
    const order = createOrder();
    const takeFor = (kind: Turn["kind"]) =>
      take(size, turnOf("noisy", { kind })).then(order.note(kind));
    const payments = Array.from({ length: 30 }, () => takeFor("payment"));
    const operation = takeFor("operation");
    await isQueued();
    const served = order.served.length;
    await Promise.all([operation, ...payments]);
    order.end();
    assert.ok(order.servedBefore("operation", served) <= 1);
  });

  test(`${name}: a request that waits for too long is rejected`, async () => {
    const take = createTaking();
    const slow = { perSecond: 0.1, capacity: 1 };
    assert.equal((await take(slow, turnOf("a"))).taken, true);
    const began = performance.now();
    const { taken } = await take(slow, turnOf("b", { maxWaitMs: 100 }));
    assert.equal(taken, false);
    assert.ok(performance.now() - began >= 99);
  });
}

test("workers do not lease tokens for which requests wait", async () => {
  const { buckets } = createWorkers(2);
  const [one, other] = buckets as [TokenBuckets, TokenBuckets];
  const size = { perSecond: 10, capacity: 10 };
  const take = (worker: TokenBuckets, party: string) =>
    worker.takeInTurn("a", size, turnOf(party, { maxWaitMs: 5_000, maxQueueMs: 5_000 }));
  const waiting = Array.from({ length: 30 }, () => take(one, "noisy"));
  // The bucket is empty when this request is served, and others wait for almost two seconds.
  await waiting[12];
  assert.equal((await other.take("a", size)).taken, false);
  assert.ok((await take(other, "quiet")).taken);
  assert.ok((await Promise.all(waiting)).every(({ taken }) => taken));
});

test("a request that waits for its turn fails if the primary process exits", async () => {
  const { buckets, ends } = createWorkers(1);
  const [worker] = buckets as [TokenBuckets];
  const size = { perSecond: 0.1, capacity: 1 };
  await worker.takeInTurn("a", size, turnOf("a"));
  const waiting = Promise.resolve(worker.takeInTurn("a", size, turnOf("a")));
  await responses();
  ends[0]?.end();
  await assert.rejects(waiting, /the other process has exited/);
});
