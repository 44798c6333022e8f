import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const path = (id: string) => `/customers/${id}`;
const create = async (params = {}) => (await shop.post("/customers", params)).body;
const missing = [404, "invalid_request_error", "resource_missing", "id"];
const ada = { email: "ada@example.com", name: "Ada", metadata: { plan: "pro" } };

test("create: 201 with the fields that were sent, which a read returns unchanged", async () => {
  const { status, body } = await shop.post("/customers", ada);
  assert.equal(status, 201);
  const { email, name, metadata } = body;
  assert.deepEqual({ email, name, metadata }, ada);
  assert.deepEqual((await shop.get(path(body.id))).body, body);
});

test("create: 201 without any field, and once per Idempotency-Key", async () => {
  const first = await shop.post("/customers", {}, { key: "one" });
  const second = await shop.post("/customers", {}, { key: "one" });
  assert.deepEqual([first.status, second.text], [201, first.text]);
  assert.deepEqual([first.body.email, first.body.name, first.body.metadata], [null, null, {}]);
});

for (const [what, params, code, param] of [
  ["an invalid email", { email: "ada" }, "email_invalid", "email"],
  ["an empty name", { name: "" }, "parameter_invalid_string_empty", "name"],
  ["an unknown field", { phone: "1" }, "parameter_unknown", "phone"],
] as const) {
  test(`create: 400 for ${what}`, async () => {
    const reply = await shop.post("/customers", params);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
  });
}

test("update: 200 changes the fields that were sent, keeps the others, and null removes a field", async () => {
  const before = await create(ada);
  const change = { name: null, metadata: { plan: null, tier: "2" } };
  const { status, body } = await shop.post(path(before.id), change);
  assert.deepEqual([status, body], [200, { ...before, name: null, metadata: { tier: "2" } }]);
});

test("list: 200, newest first, in pages without gaps, filtered by email in any case", async () => {
  const { key: as } = await shop.createMerchant();
  const created: string[] = [];
  for (const email of ["a@example.com", "b@example.com", "A@example.com"]) {
    created.unshift((await shop.post("/customers", { email }, { as })).body.id);
    shop.clock.advance(1_000);
  }
  const ids = async (query: string) =>
    (await shop.get(`/customers?${query}`, { as })).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids("limit=2"), created.slice(0, 2));
  assert.deepEqual(await ids(`starting_after=${created[1]}`), created.slice(2));
  assert.deepEqual(await ids("email=a@example.com"), [created[0], created[2]]);
});

test("delete: 200 and the customer and the saved cards are no longer found", async () => {
  const { id } = await create(ada);
  const saved = (await shop.post("/payment_methods/pm_card_visa/attach", { customer_id: id })).body;
  const { status, body } = await shop.delete(path(id));
  assert.deepEqual([status, body], [200, { id, object: "customer", deleted: true }]);
  assert.deepEqual(errorOf(await shop.get(path(id))), missing);
  assert.deepEqual(errorOf(await shop.post(path(id), { name: "Ada" })), missing);
  assert.deepEqual(errorOf(await shop.delete(path(id))), missing);
  const charge = { amount: 1999, currency: "usd", payment_method_id: saved.id };
  assert.deepEqual(errorOf(await shop.post("/charges", charge)), [
    400,
    "invalid_request_error",
    "payment_method_not_available",
    "payment_method_id",
  ]);
  const rows = await shop.app.database.read`
    select email, name from customers where deleted_at is not null
     union all select null, null from vault_cards`;
  assert.deepEqual(rows, [{ email: null, name: null }]);
});

test("404: rejects an unknown customer", async () => {
  for (const id of ["cus_01jb0000000000000000000000", "cus_1", "pm_card_visa"]) {
    assert.deepEqual(errorOf(await shop.get(path(id))), missing);
  }
});
