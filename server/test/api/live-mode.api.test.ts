import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

let connected = false;
const shop = await startShop({ liveAcquirer: () => (connected ? connectedAcquirer : null) });
after(() => shop.close());

const visa = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" };
const session = { amount: 1_999, currency: "usd" };

async function createLiveMerchant(status: "test_only" | "approved" | "suspended") {
  const { account, key } = await shop.createMerchant({ status });
  return { test: key, live: (await shop.issueKey(account, true)).secret };
}

const rejections = {
  approved: "connector_not_configured",
  suspended: "account_suspended",
} as const;

for (const [status, code] of Object.entries(rejections)) {
  test(`400: rejects a live charge of an account that is ${status} with ${code}`, async () => {
    const { live } = await createLiveMerchant(status as keyof typeof rejections);
    const charge = await shop.post("/charges", visa, { as: live });
    assert.deepEqual(errorOf(charge), [400, "invalid_request_error", code]);
    const { data } = (await shop.get("/charges", { as: live })).body;
    assert.deepEqual(data, [], "the rejected request writes nothing");
  });
}

test("400: a suspended account cannot create live sessions, and can still use test mode", async () => {
  const { live, test: key } = await createLiveMerchant("suspended");
  const rejected = await shop.post("/checkout_sessions", session, { as: live });
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "account_suspended"]);
  assert.equal((await shop.post("/charges", visa, { as: key })).status, 201);
});

test("400: a suspended account cannot create payouts, and can still create refunds", async () => {
  const { live } = await createLiveMerchant("suspended");
  const payout = await shop.post("/payouts", { amount: 100, currency: "usd" }, { as: live });
  assert.deepEqual(errorOf(payout), [400, "invalid_request_error", "payouts_not_allowed"]);
  const unknown = { charge_id: "ch_01jb0000000000000000000000" };
  const refund = await shop.post("/refunds", unknown, { as: live });
  assert.equal(
    refund.body.error.code,
    "resource_missing",
    "the refund is rejected only because the charge is unknown",
  );
});

test("404 and 400: a live key finds neither a test object nor a test payment method", async () => {
  const { live, test: key } = await createLiveMerchant("approved");
  const { id } = (await shop.post("/charges", visa, { as: key })).body;
  assert.equal((await shop.get(`/charges/${id}`, { as: live })).status, 404);
  const refund = await shop.post("/refunds", { charge_id: id }, { as: live });
  assert.deepEqual(errorOf(refund), [
    400,
    "invalid_request_error",
    "resource_missing",
    "charge_id",
  ]);
});

test("404: a test key does not find a live object", async () => {
  const { live, test: key } = await createLiveMerchant("approved");
  const customer = await shop.post("/customers", { name: "Live" }, { as: live });
  assert.equal(customer.status, 201);
  assert.equal((await shop.get(`/customers/${customer.body.id}`, { as: key })).status, 404);
  const otherMerchants = await shop.post(
    "/charges",
    { ...visa, customer_id: customer.body.id },
    { as: key },
  );
  assert.deepEqual(errorOf(otherMerchants), [
    400,
    "invalid_request_error",
    "resource_missing",
    "customer_id",
  ]);
});

test("400: a member of an account that is not approved cannot charge in live mode", async () => {
  const { account } = await shop.createMerchant();
  const person = await createPerson(shop, { account, secondFactor: true });
  for (const [path, body] of [
    ["/charges", visa],
    ["/checkout_sessions", session],
    ["/decisions", visa],
  ] as const) {
    const rejected = await person.api("POST", path, body, true);
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "testmode_charges_only"]);
  }
});

test("400: test helpers reject a live key", async () => {
  const { live } = await createLiveMerchant("approved");
  const advanced = await shop.post("/test_helpers/clock/advance", { seconds: 60 }, { as: live });
  assert.deepEqual(errorOf(advanced), [400, "invalid_request_error", "livemode_mismatch"]);
});

test("400: rejects a charge above the account's limit in its currency, and accepts one at the limit", async () => {
  const { key: as } = await shop.createMerchant({ amounts: { usd: { maxCharge: 1_999 } } });
  assert.equal((await shop.post("/charges", visa, { as })).status, 201);
  const larger = { ...visa, amount: 2_000 };
  for (const rejected of [
    await shop.post("/charges", larger, { as }),
    await shop.post("/checkout_sessions", { ...session, amount: 2_000 }, { as }),
    await shop.post("/decisions", larger, { as }),
  ]) {
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "amount_over_account_limit",
      "amount",
    ]);
  }
  assert.equal((await shop.post("/charges", { ...larger, currency: "eur" }, { as })).status, 201);
});

for (const path of ["/charges", "/checkout_sessions", "/decisions"]) {
  test(`400: rejects POST ${path} in live mode and writes nothing until an acquirer is connected`, async () => {
    const { live } = await createLiveMerchant("approved");
    const body = path === "/checkout_sessions" ? session : visa;
    const rejected = await shop.post(path, body, { as: live, key: "once" });
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "connector_not_configured"]);
    assert.deepEqual((await shop.get(path, { as: live })).body.data, []);
    connected = true;
    const again = await shop.post("/checkout_sessions", session, { as: live, key: "once" });
    connected = false;
    assert.equal(again.status, 201, "a rejected request leaves the idempotency key free");
  });
}

test("charges_enabled of a live key is true only while an acquirer is connected", async () => {
  const { live, test: key } = await createLiveMerchant("approved");
  const enabled = async (as: typeof key) =>
    (await shop.get("/account", { as })).body.charges_enabled;
  assert.deepEqual([await enabled(key), await enabled(live)], [true, false]);
  connected = true;
  assert.deepEqual([await enabled(key), await enabled(live)], [true, true]);
  connected = false;
  const changed = await shop.post("/account", { payout_schedule: "daily" }, { as: live });
  assert.equal(changed.body.charges_enabled, false);
  const [event] = (await shop.get("/events?type=account.updated", { as: live })).body.data;
  assert.equal(event.data.object.charges_enabled, false);
});

test("402: live mode declines test cards, and test mode declines every other card", async () => {
  const { live, test: key } = await createLiveMerchant("approved");
  connected = true;
  const browser = await createCheckout(shop, {}, live);
  connected = false;
  const inLive = await browser.type("4242424242424242");
  const inTest = await (await createCheckout(shop, {}, key)).type("4111111111111111");
  assert.deepEqual(
    [inLive, inTest].map(({ status, body }) => [status, body.error.type, body.error.decline_code]),
    [
      [402, "card_error", "testmode_decline"],
      [402, "card_error", "testmode_decline"],
    ],
  );
});

test("400: a live card is not stored if the acquirer is disconnected after the session was created", async () => {
  const { live } = await createLiveMerchant("approved");
  connected = true;
  const browser = await createCheckout(shop, {}, live);
  connected = false;
  const typed = await browser.type("4111111111111111");
  assert.deepEqual(errorOf(typed), [400, "invalid_request_error", "connector_not_configured"]);
  const client = await shop.app.database.connect();
  const { rows } = await client.query("select count(*) as stored from vault_cards where livemode");
  await client.end();
  assert.equal(rows[0].stored, 0);
});
