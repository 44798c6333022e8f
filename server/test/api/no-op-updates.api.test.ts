import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const metadata = { order: "7", place: "here" };
const create = async (path: string, body: object) => {
  const { body: created, status, text } = await shop.post(path, body);
  assert.equal(status, 201, text);
  return `${path}/${created.id}`;
};

/** The path of each updatable object, a body with its present values, and a body that changes the object. */
const updatable = {
  charge: {
    path: () =>
      create("/charges", {
        amount: 1999,
        currency: "usd",
        payment_method_id: "pm_card_visa",
        description: "Blue mug",
        metadata,
      }),
    same: { description: "Blue mug", metadata: { place: "here", gone: null } },
    other: { description: "Red mug" },
  },
  customer: {
    path: () => create("/customers", { name: "Ada", email: "ada@example.com", metadata }),
    same: { name: "Ada", metadata: { order: "7" } },
    other: { name: "Grace" },
  },
  account: {
    path: async () => "/account",
    same: { payout_schedule: "manual", allowed_origins: [] },
    other: { payout_schedule: "daily" },
  },
  profile: {
    path: async () => "/account/profile",
    same: { name: "Fieldware", support_email: null },
    other: { name: "Fieldware & Daughters" },
  },
  "webhook endpoint": {
    path: () =>
      create("/webhook_endpoints", {
        url: "http://127.0.0.1:1/hooks",
        enabled_events: ["payment.succeeded"],
        description: "Orders",
      }),
    same: { url: "http://127.0.0.1:1/hooks", enabled_events: ["payment.succeeded"] },
    other: { description: "Invoices" },
  },
  rule: {
    path: () => create("/rules", { expression: "amount > 50000", outcome: "review", metadata }),
    same: { expression: "amount > 50000", outcome: "review", status: "enabled", metadata },
    other: { outcome: "decline" },
  },
} as const;

async function countRecords() {
  const account = uuidOf(shop.merchant.account);
  const [row] = await shop.app.database.read<{ events: number; entries: number }>`
    select (select count(*)::int from events where account_id = ${account}) as events,
           (select count(*)::int from audit_log where account_id = ${account}) as entries`;
  return row;
}

for (const [name, { path, same, other }] of Object.entries(updatable)) {
  test(`200: an update that changes nothing of the ${name} keeps the version and writes no event or audit entry`, async () => {
    const at = await path();
    // The profile is part of the account object.
    const object = at.replace("/profile", "");
    const before = (await shop.get(object)).body;
    const recordCounts = await countRecords();
    const person = await createPerson(shop);
    for (const body of [same, {}]) {
      for (const reply of [await shop.post(at, body), await person.api("POST", at, body)]) {
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(reply.body, before);
      }
    }
    assert.deepEqual((await shop.get(object)).body, before);
    assert.deepEqual(await countRecords(), recordCounts);
    const changed = (await shop.post(at, other)).body;
    assert.notDeepEqual(changed, before);
    if ("version" in before) assert.equal(changed.version, before.version + 1);
  });
}

test("200: renaming an API key to its current name writes no audit entry", async () => {
  const person = await createPerson(shop);
  const { body: key } = await person.api("POST", "/api_keys", { name: "Shop" });
  const recordCounts = await countRecords();
  const renamed = await person.api("POST", `/api_keys/${key.id}`, { name: "Shop" });
  assert.equal(renamed.status, 200);
  assert.deepEqual(await countRecords(), recordCounts);
});
