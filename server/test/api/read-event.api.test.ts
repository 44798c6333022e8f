import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCardholder } from "../cardholder.ts";
import { errorOf, startShop } from "../shop.ts";
import { day } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

test("200: an event names its type, object, time and request", async () => {
  const charge = await shop.post("/charges", visa, { key: "order-7" });
  const [listed] = await shop.events(charge.body.id);
  const { status, body } = await shop.get(`/events/${listed.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, listed);
  const { id, created, ...fields } = body;
  assert.deepEqual(fields, {
    object: "event",
    type: "payment.succeeded",
    api_version: "v1",
    livemode: false,
    account: shop.merchant.account,
    request: { id: charge.headers.get("request-id"), idempotency_key: "order-7" },
    data: { object: charge.body },
  });
  assert.match(id, /^evt_/);
  assert.ok(created >= charge.body.created);
});

test("200: the version of an event's object only increases, so that a receiver can ignore stale events", async () => {
  const body = { ...visa, payment_method_id: "pm_card_authenticationRequired" };
  const { id, next_action } = (await shop.post("/charges", body)).body;
  await shop.post(`/charges/${id}`, { description: "x" });
  await createCardholder(shop, next_action.url).cancel();
  const versions = (await shop.events(id)).map(({ data }) => data.object.version);
  assert.equal(versions.length, 2);
  assert.ok(versions[0] < versions[1]);
  assert.equal(versions[1], (await shop.get(`/charges/${id}`)).body.version);
});

test("200: an event keeps the state of its object at the time of the event", async () => {
  const { id } = (await shop.post("/charges", { ...visa, description: "then" })).body;
  await shop.post(`/charges/${id}`, { description: "now" });
  const [event] = await shop.events(id);
  assert.equal(event.data.object.description, "then");
});

for (const id of ["evt_01jb0000000000000000000000", "ch_01jb0000000000000000000000", "evt_1"]) {
  test(`404: rejects ${id}`, async () => {
    const missing = [404, "invalid_request_error", "resource_missing", "id"];
    assert.deepEqual(errorOf(await shop.get(`/events/${id}`)), missing);
  });
}

test("404: an event cannot be read or listed after 30 days", async () => {
  const { id: charge } = (await shop.post("/charges", visa)).body;
  const [{ id }] = await shop.events(charge);
  shop.clock.advance(30 * day - 60_000);
  assert.equal((await shop.get(`/events/${id}`)).status, 200);
  shop.clock.advance(120_000);
  assert.equal((await shop.get(`/events/${id}`)).status, 404);
  assert.deepEqual(await shop.events(), []);
});
