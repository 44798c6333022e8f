import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const create = async (params = {}) => {
  const { body } = await shop.post("/checkout_sessions", {
    amount: 100,
    currency: "usd",
    ...params,
  });
  shop.clock.advance(1_000);
  return body.session;
};
const list = async (query: string) => (await shop.get(`/checkout_sessions?${query}`)).body;
const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

const first = await create({ client_reference_id: "order-1" });
const second = await create({ client_reference_id: "order-2" });
const third = await create({ client_reference_id: "order-1" });
await shop.post(`/checkout_sessions/${first.id}/expire`, {});

test("200: lists sessions newest first, with the same fields as a read", async () => {
  const page = await list("");
  assert.deepEqual(ids(page), [third.id, second.id, first.id]);
  assert.deepEqual(page.data[0], third);
});

test("200: finds a session by client_reference_id and by status", async () => {
  assert.deepEqual(ids(await list("client_reference_id=order-1")), [third.id, first.id]);
  assert.deepEqual(ids(await list("client_reference_id=order-1&status=open")), [third.id]);
  assert.deepEqual(ids(await list("status=expired")), [first.id]);
  assert.deepEqual(ids(await list("status=complete")), []);
});

test("200: finds sessions by their ids, and none of another account", async () => {
  const some = `ids=${first.id},${third.id}`;
  assert.deepEqual(ids(await list(some)), [third.id, first.id]);
  assert.deepEqual(ids(await list(`${some}&status=open`)), [third.id]);
  const as = shop.otherMerchant.key;
  assert.deepEqual(ids((await shop.get(`/checkout_sessions?${some}`, { as })).body), []);
});

test("200: pages neither overlap nor skip", async () => {
  const page = await list("limit=2");
  assert.deepEqual([ids(page), page.has_more], [[third.id, second.id], true]);
  const rest = await list(`limit=2&starting_after=${second.id}`);
  assert.deepEqual([ids(rest), rest.has_more], [[first.id], false]);
  const above = await list(`limit=1&ending_before=${first.id}`);
  assert.deepEqual([ids(above), above.has_more], [[second.id], true]);
});

for (const [query, code, param] of [
  ["status=paid", "parameter_invalid", "status"],
  ["customer_id=unknown", "resource_missing", "customer_id"],
  ["ids=unknown", "resource_missing", "ids"],
  ["starting_after=ch_01jb0000000000000000000000", "cursor_invalid", "starting_after"],
  ["reference=1", "parameter_unknown", "reference"],
] as const) {
  test(`400: rejects ?${query} with ${code}`, async () => {
    const reply = await shop.get(`/checkout_sessions?${query}`);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
  });
}
