import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeChecked } from "../close-checked.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const customer = async () => (await shop.post("/customers", { name: "Ada" })).body.id;
const request = async (params: object) => (await shop.post("/decisions", params)).body;
const statusOf = async ({ id }: { id: string }) => (await shop.get(`/decisions/${id}`)).body.status;

test("a newer decision for the same payment supersedes the older one", async () => {
  const requested = { ...visa, customer_id: await customer() };
  const [older, newer] = [await request(requested), await request(requested)];
  assert.deepEqual([await statusOf(older), await statusOf(newer)], ["superseded", "active"]);
  const { data } = (await shop.get(`/decisions?customer_id=${requested.customer_id}`)).body;
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ["active", "superseded"],
  );
  const rejected = await shop.post("/charges", { ...requested, decision_id: older.id });
  assert.deepEqual(errorOf(rejected).slice(2), ["decision_superseded", "decision_id"]);
  assert.equal((await shop.post("/charges", { ...requested, decision_id: newer.id })).status, 201);
  assert.deepEqual([await statusOf(older), await statusOf(newer)], ["superseded", "used"]);
});

test("a different amount, currency, customer or payment method is a different payment", async () => {
  const requested = { ...visa, customer_id: await customer() };
  const first = await request(requested);
  await request({ ...requested, amount: 2000 });
  await request({ ...requested, currency: "eur" });
  await request({ ...requested, customer_id: await customer() });
  await request({ ...requested, payment_method_id: "pm_card_mastercard" });
  assert.equal(await statusOf(first), "active");
});

test("used and expired decisions are not superseded, nor those of a fixed test card without a customer", async () => {
  const requested = { ...visa, customer_id: await customer() };
  const used = await request(requested);
  await shop.post("/charges", { ...requested, decision_id: used.id });
  const withoutCustomer = await request(visa);
  const late = await request({ ...requested, amount: 2500 });
  await request(requested);
  await request(visa);
  assert.deepEqual([await statusOf(used), await statusOf(withoutCustomer)], ["used", "active"]);
  shop.clock.advance(31 * minute);
  await request({ ...requested, amount: 2500 });
  assert.equal(await statusOf(late), "expired");
});

test("a decision that a person approved is not superseded", async () => {
  const requested = {
    ...visa,
    payment_method_id: "pm_card_riskLevelElevated",
    customer_id: await customer(),
  };
  const reviewed = await request(requested);
  assert.equal(reviewed.outcome, "review");
  await shop.post(`/decisions/${reviewed.id}/approve`, {});
  await request(requested);
  assert.equal(await statusOf(reviewed), "active");
});
