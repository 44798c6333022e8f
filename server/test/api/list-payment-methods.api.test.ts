import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const list = async (query = "") => (await shop.get(`/payment_methods?${query}`)).body;
const created: string[] = [];
for (const number of ["4242424242424242", "5555555555554444", "378282246310005"]) {
  const { type } = await createCheckout(shop);
  created.unshift((await type(number)).body.payment_method_id);
  shop.clock.advance(1_000);
}

test("200: lists typed cards newest first, with the same fields as a read", async () => {
  const { data, has_more } = await list();
  assert.deepEqual([data.map(({ id }: { id: string }) => id), has_more], [created, false]);
  assert.deepEqual(data[0], (await shop.get(`/payment_methods/${created[0]}`)).body);
});

test("200: pages neither overlap nor skip", async () => {
  const page = await list("limit=2");
  assert.deepEqual([page.data.length, page.has_more], [2, true]);
  const { data } = await list(`starting_after=${page.data[1].id}`);
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    created.slice(2),
  );
});

test("400: rejects a malformed customer id", async () => {
  const reply = await shop.get("/payment_methods?customer_id=ada");
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "resource_missing",
    "customer_id",
  ]);
});
