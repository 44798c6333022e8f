import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { PaymentMetrics } from "@florin/contract/metrics.ts";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { measureAgain } from "../../src/insights/metrics/hourly-metrics.ts";
import { listHoursToRecount } from "../../src/insights/metrics/metrics.sql.ts";
import { measureHours } from "../measure-hours.ts";
import { errorOf, startShop } from "../shop.ts";

// Starts no workers, so that an hour is counted only when a test counts it.
const shop = await startShop({ workers: false });
after(() => shop.close());
const { database } = shop.app;
const hourMs = 3_600_000;
// Starts at the beginning of an hour, so that the payments of a test are in the same hour.
shop.clock.advance(hourMs - (shop.clock.now().getTime() % hourMs));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclinedInsufficientFunds" };

async function aggregateMetrics(): Promise<void> {
  const now = shop.clock.now();
  await measureHours(shop);
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

test("200: a day starts at midnight in the time zone of the request", async () => {
  const startsOf = async (from: string, to: string, zone: string) => {
    const [first, last] = [from, to].map((time) => Date.parse(time) / 1000);
    const { body } = await shop.get(`/metrics/payments?from=${first}&to=${last}&time_zone=${zone}`);
    return [...body.data.map(({ start }: { start: number }) => start), body.to].map((at) =>
      new Date(at * 1000).toISOString().slice(0, 16),
    );
  };
  // March 29, 2026 has 23 hours in Berlin.
  assert.deepEqual(await startsOf("2026-03-28", "2026-03-30", "Europe/Berlin"), [
    "2026-03-27T23:00",
    "2026-03-28T23:00",
    "2026-03-29T22:00",
    "2026-03-30T22:00",
  ]);
  // Midnight in Kolkata is at 18:30 in UTC.
  assert.deepEqual(await startsOf("2026-03-28", "2026-03-28T12:00Z", "Asia/Kolkata"), [
    "2026-03-27T19:00",
    "2026-03-28T19:00",
  ]);

  const { key: as } = await shop.createMerchant();
  await shop.post("/charges", visa, { as });
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    const { body } = await shop.get(`/metrics/payments?time_zone=${zone}`, { as });
    const dayOf = (at: Date) => at.toLocaleDateString("en-CA", { timeZone: zone });
    const { data, total }: PaymentMetrics = body;
    const today = data.filter(({ payments }) => payments > 0);
    assert.deepEqual(
      today.map(({ start, payments }) => [dayOf(new Date(start * 1000)), payments]),
      [[dayOf(shop.clock.now()), 1]],
      zone,
    );
    assert.equal(total.payments, 1);
  }
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

test("200: the funnel counts sessions, payments after 3-D Secure, captures, refunds and disputes", async () => {
  const { key: as } = await shop.createMerchant();
  const funnel = async () =>
    (await shop.get("/metrics/payments", { as })).body.funnel as PaymentMetrics["funnel"];
  const session = { amount: 1999, currency: "usd", success_url: "https://shop.example/done" };
  assert.equal((await shop.post("/checkout_sessions", session, { as })).status, 201);
  shop.clock.advance(5 * hourMs);
  const charges = [];
  for (let n = 0; n < 4; n++) charges.push((await shop.post("/charges", visa, { as })).body.id);
  await shop.post("/charges", declined, { as });
  await shop.post("/charges", { ...visa, capture_method: "manual" }, { as });
  const { body: authenticated } = await shop.post("/charges", visa, { as });
  await database.transaction(
    (tx) =>
      tx`update charges set three_d_secure = '{}' where id = ${uuidOf(authenticated.id as ChargeId)}`,
  );
  await shop.post("/refunds", { charge_id: charges[0], amount: 5 }, { as });
  await shop.post("/test_helpers/disputes", { charge_id: charges[1] }, { as });
  const counted = await funnel();
  assert.deepEqual(counted, {
    sessions: 1,
    attempted_sessions: 0,
    payments: 7,
    session_payments: 0,
    authenticated: 1,
    authenticated_approved: 1,
    authenticated_failed: 0,
    approved: 6,
    failed: 1,
    captured: 5,
    refunded: 1,
    disputed: 1,
  });
  shop.clock.advance(2 * hourMs);
  await aggregateMetrics();
  assert.deepEqual(await funnel(), counted);
});

test("200: the metrics of a customer count its payments, its spend and its saved cards", async () => {
  const { body: customer } = await shop.post("/customers", { name: "Ada" });
  const { body: other } = await shop.post("/customers", {});
  const attach = { customer_id: customer.id };
  await shop.post("/payment_methods/pm_card_visa/attach", attach);
  const paid = { ...visa, customer_id: customer.id };
  const { body: first } = await shop.post("/charges", paid);
  await shop.post("/charges", { ...paid, currency: "gbp", amount: 500 });
  await shop.post("/charges", { ...declined, customer_id: customer.id });
  await shop.post("/refunds", { charge_id: first.id, amount: 999 });
  const read = (as?: typeof shop.otherMerchant.key) =>
    shop.get(`/metrics/customers?customer_ids=${customer.id},${other.id}`, as ? { as } : {});
  const { data } = (await read()).body;
  const lastPayment: number = data[0].last_payment;
  assert.ok(lastPayment >= first.created);
  assert.deepEqual(data, [
    {
      customer_id: customer.id,
      payments: 3,
      succeeded: 2,
      spend: [
        { currency: "usd", amount: 1000 },
        { currency: "gbp", amount: 500 },
      ],
      last_payment: lastPayment,
      cards: 1,
    },
    { customer_id: other.id, payments: 0, succeeded: 0, spend: [], last_payment: null, cards: 0 },
  ]);
  const foreign = (await read(shop.otherMerchant.key)).body.data;
  assert.deepEqual(
    foreign.map((one: { payments: number; cards: number }) => [one.payments, one.cards]),
    [
      [0, 0],
      [0, 0],
    ],
  );
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
