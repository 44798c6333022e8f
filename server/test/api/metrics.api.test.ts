import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import {
  firstOpenHour,
  measureAgain,
  measureOn,
} from "../../src/insights/metrics/measure-hours.ts";
import { listHoursToRecount, listUnmeasured } from "../../src/insights/metrics/metrics.sql.ts";
import { errorOf, startShop } from "../shop.ts";

// Without workers, so that only the tests' own requests are counted.
const shop = await startShop({ workers: false });
after(() => shop.close());
const { database } = shop.app;
const hourMs = 3_600_000;

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclinedInsufficientFunds" };

async function aggregateMetrics(): Promise<void> {
  const now = shop.clock.now();
  for (;;) {
    const left = await listUnmeasured(database.read, firstOpenHour(now));
    if (left.length === 0) break;
    for (const { scope, hour } of left)
      await database.transaction((tx) => measureOn(tx, scope, hour, now));
  }
  for (const { scope, hour } of await listHoursToRecount(database.read, now, 100))
    await database.transaction((tx) => measureAgain(tx, scope, hour, now));
}

const metrics = async (query = ""): Promise<PaymentMetrics> =>
  (await shop.get(`/metrics/payments${query}`)).body;

test("200: without payments the series contains zeros and no gaps", async () => {
  const { body } = await shop.get("/metrics/payments?interval=day", { as: shop.otherMerchant.key });
  assert.equal(body.data.length, 31);
  assert.equal(body.data[1].start - body.data[0].start, 86_400);
  const nothing = {
    payments: 0,
    succeeded: 0,
    failed: 0,
    success_rate: null,
    volume: [],
    latency: null,
  };
  assert.deepEqual(body.total, nothing);
  assert.deepEqual(body.data[7], { start: body.data[7].start, ...nothing });
});

test("200: figures do not change when an hour is aggregated, and include a later capture", async () => {
  await shop.post("/charges", visa);
  await shop.post("/charges", { ...visa, currency: "eur", amount: 500 });
  await shop.post("/charges", declined);
  const { body: authorized } = await shop.post("/charges", { ...visa, capture_method: "manual" });
  shop.clock.advance(3 * hourMs);
  await shop.post("/charges", visa);

  const live = await metrics("?interval=hour");
  assert.deepEqual(
    [live.total.payments, live.total.succeeded, live.total.failed, live.total.success_rate],
    [5, 4, 1, 0.8],
  );
  assert.deepEqual(live.total.volume, [
    { currency: "eur", amount: 500 },
    { currency: "usd", amount: 2 * 1999 },
  ]);
  assert.deepEqual(live.declines, [{ decline_code: "insufficient_funds", count: 1 }]);
  assert.deepEqual(
    live.data.map(({ payments }) => payments).filter((payments) => payments > 0),
    [4, 1],
  );
  await aggregateMetrics();
  assert.deepEqual(await metrics("?interval=hour"), live);

  await shop.post(`/charges/${authorized.id}/capture`);
  shop.clock.advance(12 * hourMs);
  await aggregateMetrics();
  const { total } = await metrics();
  assert.deepEqual(total.volume[1], { currency: "usd", amount: 3 * 1999 });
  assert.deepEqual(await listHoursToRecount(database.read, new Date(8e15), 10), []);
});

test("200: a currency filter counts only the payments in that currency", async () => {
  const { total, declines } = await metrics("?currency=eur");
  assert.deepEqual([total.payments, total.volume.length, declines], [1, 1, []]);
});

for (const [query, param] of [
  ["from=10&to=5", "from"],
  ["from=0", "from"],
  ["interval=hour&from=1700000000&to=1702764000", "from"],
  ["interval=week", "interval"],
  ["currency=EUR", "currency"],
  ["from=yesterday", "from"],
] as const) {
  test(`400: rejects ?${query}`, async () => {
    const [status, , , named] = errorOf(await shop.get(`/metrics/payments?${query}`));
    assert.deepEqual([status, named], [400, param]);
  });
}
