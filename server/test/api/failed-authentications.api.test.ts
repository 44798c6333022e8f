import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { newSecretKey } from "../../src/identity/api-keys/key-text.ts";
import { createMetrics } from "../../src/insights/monitoring/process-metrics.ts";
import { networkLimits } from "../../src/platform/http/access.ts";
import { countLockWaits } from "../queue-behind.ts";
import { startShop, until } from "../shop.ts";

const meters = createMetrics();
const shop = await startShop({
  meters,
  workers: false,
  rateLimit: 1_000,
  trustedProxies: ["127.0.0.1/32"],
});
after(() => shop.close());

// Stops the clock that refills the token buckets.
const stopped = performance.now();
const stoppedClock = mock.method(performance, "now", () => stopped);
after(() => stoppedClock.mock.restore());

const { burst } = networkLimits.failures;
const wrongKey = { authorization: "Bearer sk_test_wrong" };
const wrongSession = { "florin-account": shop.merchant.account, "florin-mode": "test" };

/** Sends requests from one network. Returns the number of responses with each status. */
async function attempt(times: number, ip: string, headers: Record<string, string>) {
  const statuses: Record<number, number> = {};
  for (let sent = 0; sent < times; sent++) {
    const { status } = await shop.send("GET", "/api/v1/account", {
      headers: { "x-forwarded-for": ip, "sec-fetch-site": "same-origin", ...headers },
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

async function readCount(credential: string, limited: string): Promise<number | undefined> {
  const metric = await meters.registry
    .getSingleMetric("florin_failed_authentications_total")
    ?.get();
  return metric?.values.find(
    ({ labels }) => labels.credential === credential && labels.limited === limited,
  )?.value;
}

const lines = () =>
  shop.log.filter(
    ({ msg }) => msg === "http: IP address range rate-limited after failed authentications",
  );

test("failed attempts with keys and with sessions are counted, and rate-limited attempts are counted separately", async () => {
  assert.equal(await readCount("api_key", "no"), 0);
  assert.equal(await readCount("session", "yes"), 0);
  assert.deepEqual(await attempt(burst + 30, "203.0.113.1", wrongKey), { 401: burst, 429: 30 });
  assert.deepEqual(await attempt(burst + 5, "203.0.113.2", wrongSession), { 401: burst, 429: 5 });
  assert.deepEqual(
    await Promise.all([
      readCount("api_key", "no"),
      readCount("api_key", "yes"),
      readCount("session", "no"),
      readCount("session", "yes"),
    ]),
    [burst, 30, burst, 5],
  );
});

test("rate-limited attempts are logged at most once a minute, with their count and network, and without a credential", async () => {
  assert.equal(lines().length, 1);
  shop.clock.advance(30_000);
  await attempt(3, "203.0.113.1", wrongKey);
  assert.equal(lines().length, 1);
  shop.clock.advance(30_000);
  await attempt(2, "203.0.113.2", wrongSession);
  assert.deepEqual(
    lines().map(({ level, attempts, network }) => [level, attempts, network]),
    [
      [40, 1, "203.0.113.1"],
      [40, 29 + 5 + 3 + 1, "203.0.113.2"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines()), /sk_test/);
});

test("429: wrong keys from a rate-limited network are rejected without a database query", async () => {
  const network = "203.0.113.3";
  const wrongKeys = () =>
    Array.from({ length: 2 * burst }, () => ({ authorization: `Bearer ${newSecretKey(false)}` }));
  for (const headers of wrongKeys()) await attempt(1, network, headers);
  const others = wrongKeys();
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { database } = shop.app;
  const holder = database.transaction(async (tx) => {
    await tx`lock table api_keys in access exclusive mode`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  let hasEnded = false;
  const attempts = Promise.all(others.map((headers) => attempt(1, network, headers))).finally(
    () => {
      hasEnded = true;
    },
  );
  try {
    // A query of the keys would wait for the lock. There is no deadline, because this file stops the time, but one of
    // the two conditions becomes true.
    const waits = await until(
      () => countLockWaits(database),
      (count) => count > 0 || hasEnded,
    );
    assert.equal(waits, 0, "an attempt queried the database");
  } finally {
    released.resolve();
  }
  assert.deepEqual(
    await attempts,
    others.map(() => ({ 429: 1 })),
  );
  await holder;
});

test("accepted keys are neither counted nor logged", async () => {
  const before = [await readCount("api_key", "no"), await readCount("api_key", "yes")];
  const { key } = shop.merchant;
  const served = await attempt(20, "203.0.113.1", { authorization: `Bearer ${key}` });
  assert.deepEqual(served, { 200: 20 });
  assert.deepEqual([await readCount("api_key", "no"), await readCount("api_key", "yes")], before);
});
