import assert from "node:assert/strict";
import { after, test } from "node:test";
import { currencies, defaultAmounts, maxAmount } from "@florin/contract/currency.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { feeFor } from "../../src/payments/ledger/posting-rules.ts";
import { splitPayout } from "../../src/payments/payouts/create-payout.ts";
import { createPerson } from "../person.ts";
import { startShop, until } from "../shop.ts";

/**
 * Fees and minimum and maximum amounts are defined for each currency. The same number for yen, dollars and dinars would
 * be right for only one of these currencies.
 */
const shop = await startShop();
after(() => shop.close());

const charge = { payment_method_id: "pm_card_visa" };
const code = (reply: { status: number; body: { error?: { code: string; param: string } } }) => [
  reply.status,
  reply.body.error?.code,
  reply.body.error?.param,
];

test("201: accepts a charge worth about a thousand dollars in every currency", async () => {
  const expected: object[] = [];
  for (const currency of currencies) {
    const { minCharge, fixedFee } = defaultAmounts[currency];
    const amount = minCharge * 2_000;
    const { status } = await shop.post("/charges", { ...charge, amount, currency });
    assert.equal(status, 201, currency);
    expected.push({
      currency,
      amount,
      fee: feeFor(amount, { basisPoints: 290, fixedMinor: fixedFee }),
    });
  }
  const booked: object[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await shop.get(`/balance_transactions?limit=100${cursor}`);
    for (const { currency, amount, fee } of body.data) booked.push({ currency, amount, fee });
    if (!body.has_more) break;
    cursor = `&starting_after=${body.data.at(-1).id}`;
  }
  assert.deepEqual(booked.toReversed(), expected);
});

test("400: rejects an amount one unit below the minimum or above the maximum and names the limit", async () => {
  for (const currency of ["usd", "jpy", "kwd", "idr", "vnd"] as const) {
    const { minCharge, maxCharge } = defaultAmounts[currency];
    const small = { amount: minCharge - 1, currency };
    const large = { amount: maxCharge + 1, currency };
    for (const path of ["/charges", "/decisions", "/checkout_sessions"]) {
      const more = path === "/checkout_sessions" ? {} : charge;
      assert.deepEqual(code(await shop.post(path, { ...small, ...more })), [
        400,
        "amount_too_small",
        "amount",
      ]);
      assert.deepEqual(code(await shop.post(path, { ...large, ...more })), [
        400,
        "amount_too_large",
        "amount",
      ]);
    }
    const line_items = [{ name: "Tea", quantity: 1, amount: minCharge - 1 }];
    const lines = await shop.post("/checkout_sessions", { currency, line_items });
    assert.deepEqual(code(lines), [400, "amount_too_small", "line_items"]);
  }
});

test("the maximum charge can be refunded and disputed with exact amounts", async () => {
  const amount = maxAmount;
  const created = await shop.post("/charges", { ...charge, amount, currency: "idr" });
  assert.equal(created.status, 201);
  const half = Math.floor(amount / 2);
  const refund = await shop.post("/refunds", { charge_id: created.body.id, amount: half });
  assert.deepEqual([refund.status, refund.body.amount], [201, half]);
  const fee = feeFor(amount, { basisPoints: 290, fixedMinor: defaultAmounts.idr.fixedFee });
  const { data } = (await shop.get("/balance_transactions?currency=idr&limit=2")).body;
  assert.deepEqual(
    data.map(({ net }: { net: number }) => net),
    [-half, amount - fee],
  );
});

test("an operator sets limits per currency, and other currencies keep the defaults", async () => {
  const { key: as, account } = await shop.createMerchant();
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const terms = {
    fee_basis_points: 100,
    requests_per_second: null,
    amounts: {
      jpy: { fixed_fee: 7, min_charge: 500, max_charge: 600, max_payout: 1_000 },
    },
  };
  const path = `/operator/v1/accounts/${account}/terms`;
  const changed = await operator.send("POST", path, { terms, reason: "A kiosk in Osaka." });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.account.terms, terms);
  const { requests_per_second, amounts } = changed.body.default_terms;
  const shown = [requests_per_second, Object.keys(amounts), amounts.usd.fixed_fee];
  assert.deepEqual(shown, [null, ["usd", "jpy"], defaultAmounts.usd.fixedFee]);
  assert.equal(amounts.jpy.max_payout, defaultAmounts.jpy.maxPayout);
  await until(
    () => shop.post("/charges", { ...charge, amount: 499, currency: "jpy" }, { as }),
    ({ body }) => body.error?.code === "amount_too_small",
  );
  const over = await shop.post("/charges", { ...charge, amount: 601, currency: "jpy" }, { as });
  assert.deepEqual(code(over), [400, "amount_over_account_limit", "amount"]);
  const created = await shop.post("/charges", { ...charge, amount: 600, currency: "jpy" }, { as });
  const { data } = (await shop.get(`/balance_transactions?source=${created.body.id}`, { as })).body;
  assert.equal(data[0].fee, 13);
  assert.equal(
    (await shop.post("/charges", { ...charge, amount: 50, currency: "usd" }, { as })).status,
    201,
  );
  const payout = await shop.post("/payouts", { amount: 1_001, currency: "jpy" }, { as });
  assert.deepEqual(code(payout), [400, "amount_too_large", "amount"]);

  const crossed = { ...terms, amounts: { jpy: { min_charge: 700, max_charge: 600 } } };
  const rejected = await operator.send("POST", path, { terms: crossed, reason: "A slip." });
  assert.deepEqual(code(rejected), [400, "parameter_invalid", "terms.amounts.jpy"]);
  const negative = { ...terms, amounts: { jpy: { fixed_fee: -1 } } };
  const below = await operator.send("POST", path, { terms: negative, reason: "A slip." });
  assert.deepEqual(code(below), [400, "parameter_invalid", "terms.amounts.jpy.fixed_fee"]);
});

test("a daily payout above the maximum is split, and the balance is paid out once", async () => {
  const { key: as, account } = await shop.createMerchant({
    amounts: { usd: { minPayout: 1_000, maxPayout: 4_000 } },
  });
  await shop.app.database.transaction(
    (tx) => tx`update accounts set settlement_days = 0 where id = ${uuidOf(account)}`,
  );
  await shop.post("/charges", { ...charge, amount: 10_000, currency: "usd" }, { as });
  await shop.post("/account", { payout_schedule: "daily" }, { as });
  const list = () => shop.get("/payouts", { as });
  const { body } = await until(list, ({ body: { data } }) => data.length > 0, 10_000);
  const amounts = body.data.map(({ amount }: { amount: number }) => amount);
  const net = 10_000 - feeFor(10_000, { basisPoints: 290, fixedMinor: 30 });
  assert.deepEqual(amounts.toSorted(), [net - 8_000, 4_000, 4_000].toSorted());
  assert.ok(body.data.every(({ automatic }: { automatic: boolean }) => automatic));
  const tooLarge = await shop.post("/payouts", { amount: 4_001, currency: "usd" }, { as });
  assert.deepEqual(code(tooLarge), [400, "amount_too_large", "amount"]);
});

test("the parts of a daily payout respect both limits, and the remainder is below the minimum", () => {
  const bounds = { minPayout: 100, maxPayout: 1_000 };
  assert.deepEqual(splitPayout(99, bounds), []);
  assert.deepEqual(splitPayout(-5, bounds), []);
  assert.deepEqual(splitPayout(1_000, bounds), [1_000]);
  assert.deepEqual(splitPayout(2_050, bounds), [1_000, 1_000]);
  assert.deepEqual(splitPayout(2_100, bounds), [1_000, 1_000, 100]);
  assert.equal(splitPayout(1_000_000, bounds).length, 10);
});
