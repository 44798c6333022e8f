import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connectedAcquirer } from "../live-acquirer.ts";
import { startShop, until } from "../shop.ts";

const shop = await startShop({ liveAcquirer: () => connectedAcquirer });
const session = { amount: 1_999, currency: "usd" };
after(() => shop.close());

test("200: an account shows its name, its status, and whether this key can charge", async () => {
  const { account, key } = await shop.createMerchant({ allowedOrigins: ["https://shop.example"] });
  const { status, body } = await shop.get("/account", { as: key });
  assert.equal(status, 200);
  const { created, ...fields } = body;
  assert.deepEqual(fields, {
    id: account,
    object: "account",
    livemode: false,
    name: "Fieldware",
    country: "US",
    status: "test_only",
    application_status: "draft",
    approved_at: null,
    charges_enabled: true,
    payout_schedule: "manual",
    allowed_origins: ["https://shop.example"],
    version: 1,
  });
  assert.ok(Math.abs(created - shop.clock.now().getTime() / 1000) < 60);
});

test("200: an account that is not approved can charge in test mode, and has no live keys yet", async () => {
  const { key } = await shop.createMerchant();
  const { charges_enabled, approved_at } = (await shop.get("/account", { as: key })).body;
  assert.deepEqual([charges_enabled, approved_at], [true, null]);
});

test("account.updated contains the previous values of the changed fields", async () => {
  const { key } = await shop.createMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as: key });
  const [event] = (await shop.get("/events?type=account.updated", { as: key })).body.data;
  const { object, previous_attributes } = event.data;
  assert.deepEqual([object.payout_schedule, object.version], ["daily", 2]);
  assert.deepEqual(previous_attributes, { payout_schedule: "manual", version: 1 });
});

test("200: registered origins may frame the sessions of their mode that set no origins, and a change emits an event", async () => {
  const { account, key: testKey } = await shop.createMerchant({ status: "approved" });
  const { secret: liveKey } = await shop.issueKey(account, true);
  const origins = ["https://shop.example", "https://pay.shop.example:8443"];
  const set = await shop.post("/account", { allowed_origins: origins }, { as: liveKey });
  assert.deepEqual([set.status, set.body.allowed_origins, set.body.version], [200, origins, 2]);
  assert.equal(set.body.payout_schedule, "manual");

  const frameAncestorsOf = async (as: typeof liveKey, fields = {}) => {
    const { body } = await shop.post("/checkout_sessions", { ...session, ...fields }, { as });
    const { pathname } = new URL(body.embed_url);
    const { headers } = await shop.send("GET", pathname);
    return /frame-ancestors ([^;]+)/.exec(headers.get("content-security-policy") ?? "")?.[1];
  };
  await until(
    () => frameAncestorsOf(liveKey),
    (ancestors) => ancestors === `'self' ${origins.join(" ")}`,
  );
  assert.equal(
    await frameAncestorsOf(liveKey, { allowed_origins: ["https://other.example"] }),
    "'self' https://other.example",
  );

  const ofTest = (await shop.get("/account", { as: testKey })).body;
  assert.deepEqual([ofTest.allowed_origins, ofTest.version], [[], 1]);
  assert.equal((await frameAncestorsOf(testKey))?.includes("shop.example"), false);
  assert.deepEqual((await shop.get("/events?type=account.updated", { as: testKey })).body.data, []);

  const [event] = (await shop.get("/events?type=account.updated", { as: liveKey })).body.data;
  assert.deepEqual(event.data.previous_attributes, { allowed_origins: [], version: 1 });
  const none = await shop.post("/account", { allowed_origins: [] }, { as: liveKey });
  assert.deepEqual(none.body.allowed_origins, []);
});

test("400: rejects an origin that contains more than scheme, host and port, and a list of more than twenty origins", async () => {
  const { key } = await shop.createMerchant();
  for (const [origins, param] of [
    [["https://shop.example/checkout"], "allowed_origins[0]"],
    [["https://shop.example", "javascript:alert(1)"], "allowed_origins[1]"],
    [["https://shop.example 'unsafe-inline'"], "allowed_origins[0]"],
    [["*"], "allowed_origins[0]"],
    [Array.from({ length: 21 }, (_, n) => `https://${n}.example`), "allowed_origins"],
  ] as const) {
    const rejected = await shop.post("/account", { allowed_origins: origins }, { as: key });
    assert.deepEqual([rejected.status, rejected.body.error?.param], [400, param], origins[0]);
  }
});

for (const [status, chargesInTest, chargesInLive] of [
  ["approved", true, true],
  ["suspended", true, false],
  ["closed", false, false],
] as const) {
  test(`200: an account that is ${status} can${chargesInTest ? "" : "not"} charge in test mode and can${chargesInLive ? "" : "not"} in live mode`, async () => {
    const { account, key } = await shop.createMerchant({ status });
    const { secret } = await shop.issueKey(account, true);
    const inTest = await shop.get("/account", { as: key });
    const inLive = await shop.get("/account", { as: secret });
    assert.deepEqual(
      [inTest.body.charges_enabled, inLive.body.charges_enabled],
      [chargesInTest, chargesInLive],
    );
  });
}
