import assert from "node:assert/strict";
import { after, test } from "node:test";
import { roles } from "@florin/contract/roles.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";

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

test("200: a member reads only the events whose object the role may read", async () => {
  const { account, key } = await shop.createMerchant();
  await shop.app.database.transaction((tx) => tx`update accounts set settlement_days = 0`);
  const post = (path: string, body: object) => shop.post(path, body, { as: key });
  const visa = { amount: 9_000, currency: "usd", payment_method_id: "pm_card_visa" };
  await post("/charges", visa);
  shop.clock.advance(1_000);
  // The payout stays in transit until the test advances the clock.
  shop.clock.stop();
  const payout = (await post("/payouts", { amount: 100, currency: "usd" })).body.id;
  await until(
    async () => (await shop.get(`/payouts/${payout}`, { as: key })).body.status,
    (status) => status === "in_transit",
  );
  assert.equal((await post(`/test_helpers/payouts/${payout}/fail`, {})).status, 200);
  const { id: endpoint } = (await post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body;
  const ping = (await post(`/webhook_endpoints/${endpoint}/ping`, {})).body.id;
  const all = (await shop.get("/events", { as: key })).body.data;
  const failed = all.find(({ type }: { type: string }) => type === "payout.failed").id;

  const typesFor = async (role: "analyst" | "support" | "developer") => {
    const person = await createPerson(shop, { account, role });
    const reads = await Promise.all(
      [failed, ping].map(async (id) => (await person.api("GET", `/events/${id}`)).status),
    );
    const payouts = await person.api("GET", "/events?type=payout.failed");
    assert.equal(payouts.status, roles[role].permissions.has("balance:read") ? 200 : 403);
    const listed = new Set(typesOf((await person.api("GET", "/events")).body));
    return [reads, ["ping", "payout.failed"].map((type) => listed.has(type))];
  };
  assert.deepEqual(await typesFor("developer"), [
    [200, 200],
    [true, true],
  ]);
  assert.deepEqual(await typesFor("analyst"), [
    [200, 403],
    [false, true],
  ]);
  assert.deepEqual(await typesFor("support"), [
    [403, 403],
    [false, false],
  ]);
});
