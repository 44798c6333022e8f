import assert from "node:assert/strict";
import { after, test } from "node:test";
import { dayOf } from "../../src/core/utc-day.ts";
import { createScheduledPayouts } from "../../src/payments/payouts/create-payout.ts";
import { startSchedule } from "../../src/payments/payouts/payout.jobs.ts";
import { listScheduled, lockPayouts } from "../../src/payments/payouts/payout.sql.ts";
import { startShop } from "../shop.ts";
import { day, second } from "../test-clock.ts";
import { oneTurnOf } from "../test-timers.ts";

// Without workers, so that only the test's own job creates payouts.
const shop = await startShop({ workers: false });
after(() => shop.close());

test("a daily payout is created even if the balances of all earlier merchants are empty", async () => {
  const merchants = [];
  for (let number = 0; number < 5; number++) merchants.push(await shop.createMerchant());
  for (const { key: as } of merchants) {
    await shop.post("/account", { payout_schedule: "daily" }, { as });
  }
  const { key: as } = merchants.at(-1) as (typeof merchants)[number];
  const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
  assert.equal((await shop.post("/charges", visa, { as })).status, 201);
  shop.clock.advance(2 * day + second);
  const { database } = shop.app;
  await oneTurnOf((background) => startSchedule({ database, clock: shop.clock }, background, 2));
  const { data } = (await shop.get("/payouts", { as })).body;
  assert.deepEqual(
    data.map(({ automatic, amount }: { automatic: boolean; amount: number }) => [
      automatic,
      amount,
    ]),
    [[true, 9_680]],
  );
});

test("no daily payout is created while another transaction holds the merchant's payouts, and the job does not wait for it", async () => {
  const { account, key: as } = await shop.createMerchant();
  const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
  assert.equal((await shop.post("/charges", visa, { as })).status, 201);
  shop.clock.advance(2 * day + second);
  const { database } = shop.app;
  const scope = { account, livemode: false };
  const payOut = () => {
    const now = shop.clock.now();
    return database.transaction((tx) => createScheduledPayouts(tx, scope, dayOf(now), now));
  };
  const created = await database.transaction(async (tx) => {
    await lockPayouts(tx, scope);
    return payOut();
  });
  assert.deepEqual(created, []);
  assert.equal((await payOut()).length, 1);
});

test("no daily payout is created in live mode, because the acquirers pay the merchant", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const as = (await shop.issueKey(account, true)).secret;
  const set = await shop.post("/account", { payout_schedule: "daily" }, { as });
  assert.equal(set.body.payout_schedule, "daily", set.text);
  const page = { after: null, limit: 1_000 };
  const scheduled = await listScheduled(shop.app.database.read, dayOf(shop.clock.now()), page);
  assert.deepEqual(
    scheduled.filter(({ livemode }) => livemode),
    [],
  );
});
