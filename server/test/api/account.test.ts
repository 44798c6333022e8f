import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openShop } from "../shop.ts";

const shop = await openShop();
after(() => shop.close());

test("200: an account shows its name, its status, and whether this key can charge", async () => {
  const { account, key } = await shop.openMerchant({ allowedOrigins: ["https://shop.example"] });
  const { status, body } = await shop.get("/account", { as: key });
  assert.equal(status, 200);
  const { created, ...facts } = body;
  assert.deepEqual(facts, {
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
  const { key } = await shop.openMerchant();
  const { charges_enabled, approved_at } = (await shop.get("/account", { as: key })).body;
  assert.deepEqual([charges_enabled, approved_at], [true, null]);
});

test("account.updated tells what was different before", async () => {
  const { key } = await shop.openMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as: key });
  const [event] = (await shop.get("/events?type=account.updated", { as: key })).body.data;
  const { object, previous_attributes } = event.data;
  assert.deepEqual([object.payout_schedule, object.version], ["daily", 2]);
  assert.deepEqual(previous_attributes, { payout_schedule: "manual", version: 1 });
});

for (const [status, test_, live] of [
  ["approved", true, true],
  ["suspended", true, false],
  ["closed", false, false],
] as const) {
  test(`200: an account that is ${status} can${test_ ? "" : "not"} charge in test mode and can${live ? "" : "not"} in live mode`, async () => {
    const { account, key } = await shop.openMerchant({ status });
    const { secret } = await shop.issueKey(account, true);
    const inTest = await shop.get("/account", { as: key });
    const inLive = await shop.get("/account", { as: secret });
    assert.deepEqual([inTest.body.charges_enabled, inLive.body.charges_enabled], [test_, live]);
  });
}
