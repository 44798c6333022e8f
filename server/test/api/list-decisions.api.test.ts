import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const params = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const ids = (items: { id: string }[]) => items.map(({ id }) => id);
const list = async (query = "") => (await shop.get(`/decisions?${query}`)).body;

const requested = (await shop.post("/decisions", params)).body.id;
shop.clock.advance(1_000);
const ofCharge = (await shop.post("/charges", params)).body.decision_id;
shop.clock.advance(1_000);
const master = { ...params, payment_method_id: "pm_card_mastercard" };
const other = (await shop.post("/decisions", master)).body.id;

test("200: one list contains requested and automatic decisions, newest first", async () => {
  assert.deepEqual(ids((await list()).data), [other, ofCharge, requested]);
});

test("200: pages neither overlap nor skip", async () => {
  const page = await list("limit=2");
  assert.deepEqual([ids(page.data), page.has_more], [[other, ofCharge], true]);
  const rest = await list(`limit=2&starting_after=${ofCharge}`);
  assert.deepEqual([ids(rest.data), rest.has_more], [[requested], false]);
});

test("200: a list shows the same fields of a decision as a read, and can be filtered by payment method", async () => {
  const { data } = await list("payment_method_id=pm_card_mastercard");
  assert.deepEqual(data, [(await shop.get(`/decisions/${other}`)).body]);
});

for (const [query, code, param] of [
  ["payment_method_id=visa", "resource_missing", "payment_method_id"],
  ["customer_id=unknown", "resource_missing", "customer_id"],
  ["outcome=maybe", "parameter_invalid", "outcome"],
  ["review=closed", "parameter_invalid", "review"],
  ["risk=high", "parameter_unknown", "risk"],
] as const) {
  test(`400: rejects ?${query} with ${code}`, async () => {
    const reply = await shop.get(`/decisions?${query}`);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
  });
}
