import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openCheckout } from "../checkout.ts";
import { openShop, wrong } from "../shop.ts";

const shop = await openShop();
after(() => shop.close());

const list = async (query = "") => (await shop.get(`/events?${query}`)).body;
const typesOf = (page: { data: { type: string }[] }) => page.data.map(({ type }) => type);

const paid = await openCheckout(shop);
await paid.pay("4000000000000002");
shop.clock.advance(2_000);
await paid.pay("4242424242424242");
shop.clock.advance(2_000);
const left = await openCheckout(shop);
await shop.post(`/checkout_sessions/${left.session}/expire`, {});

test("200: what happened is listed newest first, and what happened together stands together", async () => {
  const types = typesOf(await list());
  assert.equal(types[0], "checkout_session.expired");
  assert.deepEqual(types.slice(1, 3).sort(), ["checkout_session.completed", "payment.succeeded"]);
  assert.deepEqual(types.slice(3), ["payment_failed"]);
});

test("200: a list shows an event as reading it does", async () => {
  const [event] = (await list("limit=1")).data;
  assert.deepEqual(event, (await shop.get(`/events/${event.id}`)).body);
});

test("200: events are found by type and by time, and pages join without a gap", async () => {
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

test("400: an event type that does not exist is refused, also the specification's own spelt otherwise", async () => {
  for (const type of ["payment.failed", "payment_succeeded", "*"]) {
    const reply = await shop.get(`/events?type=${type}`);
    assert.deepEqual(wrong(reply), [400, "invalid_request_error", "parameter_invalid", "type"]);
  }
});
