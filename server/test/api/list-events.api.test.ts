import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const list = async (query = "") => (await shop.get(`/events?${query}`)).body;
const typesOf = (page: { data: { type: string }[] }) => page.data.map(({ type }) => type);

const paid = await createCheckout(shop);
await paid.pay("4000000000000002");
shop.clock.advance(2_000);
await paid.pay("4242424242424242");
shop.clock.advance(2_000);
const left = await createCheckout(shop);
await shop.post(`/checkout_sessions/${left.session}/expire`, {});

test("200: lists events newest first, and keeps events of one transaction together", async () => {
  const types = typesOf(await list());
  assert.equal(types[0], "checkout_session.expired");
  assert.deepEqual(types.slice(1, 3).sort(), ["checkout_session.completed", "payment.succeeded"]);
  assert.deepEqual(types.slice(3), ["payment_failed"]);
});

test("200: a list shows the same fields of an event as a read", async () => {
  const [event] = (await list("limit=1")).data;
  assert.deepEqual(event, (await shop.get(`/events/${event.id}`)).body);
});

test("200: filters events by type and time, and pages neither overlap nor skip", async () => {
  assert.deepEqual(typesOf(await list("type=payment_failed")), ["payment_failed"]);
  assert.deepEqual(typesOf(await list("type=ping")), []);
  const all = (await list()).data;
  const { created } = all[3];
  assert.equal((await list(`created[gt]=${created}`)).data.length, 3);
  const page = await list("limit=2");
  assert.equal(page.has_more, true);
  const rest = await list(`limit=2&starting_after=${page.data[1].id}`);
  assert.deepEqual([...page.data, ...rest.data], all);
  assert.equal(rest.has_more, false);
});

test("400: rejects an unknown event type, including near misses of existing types", async () => {
  for (const type of ["payment.failed", "payment_succeeded", "*"]) {
    const reply = await shop.get(`/events?type=${type}`);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_invalid", "type"]);
  }
});
