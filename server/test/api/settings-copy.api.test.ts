import assert from "node:assert/strict";
import { after, test } from "node:test";
import { maxWebhookEndpoints } from "@florin/contract/webhook-endpoint.ts";
import { newId } from "../../src/core/ids.ts";
import { lockAccount } from "../../src/identity/accounts/account.sql.ts";
import { insertEndpoint } from "../../src/webhooks/delivery/endpoint.sql.ts";
import { createPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf, startShop } from "../shop.ts";
import { until } from "../until.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

/** Creates a merchant with settings in test mode. Its owner may also use live mode. */
async function createMerchant() {
  const { account, key } = await shop.createMerchant({ status: "approved" });
  const owner = await createPerson(shop, { account, secondFactor: true });
  const make = async (path: string, body: object) =>
    (await shop.post(path, body, { as: key })).body;
  const endpoint = await make("/webhook_endpoints", {
    url: "https://shop.example/hooks",
    description: "Orders",
    enabled_events: ["payment.succeeded"],
  });
  const local = await make("/webhook_endpoints", { url: "http://127.0.0.1:9/" });
  const rule = await make("/rules", { expression: "amount > 50000", outcome: "review" });
  const block = { list: "block", attribute: "email" };
  for (const value of ["eve@example.com", "mallory@example.com"]) {
    await make("/list_entries", { ...block, value });
  }
  const live = (method: string, path: string, body?: object) => owner.api(method, path, body, true);
  return { account, owner, live, endpoint, local, rule };
}

test("200: shows the differences first and copies only the selected settings", async () => {
  const { live, endpoint, local, rule } = await createMerchant();
  const before = (await live("GET", "/settings_copy")).body.settings;
  assert.deepEqual(
    before.map(({ key, change }: { key: string; change: string }) => [key, change]).sort(),
    [
      [endpoint.id, "new"],
      [local.id, "impossible"],
      [rule.id, "new"],
      ["block:email", "new"],
    ].sort(),
  );

  const copied = await live("POST", "/settings_copy", { keys: [endpoint.id, "block:email"] });
  assert.equal(copied.status, 200);
  const [created] = (await live("GET", "/webhook_endpoints")).body.data;
  assert.deepEqual(
    [created.url, created.description, created.enabled_events, created.livemode],
    ["https://shop.example/hooks", "Orders", ["payment.succeeded"], true],
  );
  assert.notEqual(created.id, endpoint.id);
  assert.equal((await live("GET", "/list_entries")).body.data.length, 2);
  assert.deepEqual((await live("GET", "/rules")).body.data, []);
  const changeOf = (key: string) =>
    copied.body.settings.find((one: { key: string }) => one.key === key).change;
  assert.deepEqual([endpoint.id, "block:email", rule.id].map(changeOf), ["same", "same", "new"]);

  const [entry] = (await live("GET", "/audit_log?action=settings.copied")).body.data;
  assert.equal(entry.after.copied.length, 2);
});

test("200: different settings are made equal, and a second copy changes nothing", async () => {
  const { owner, live, endpoint, rule } = await createMerchant();
  const keys = [endpoint.id, rule.id];
  await live("POST", "/settings_copy", { keys });
  await owner.api("POST", `/rules/${rule.id}`, { status: "disabled" });
  await owner.api("POST", `/webhook_endpoints/${endpoint.id}`, { enabled_events: ["*"] });
  await live("POST", "/settings_copy", { keys });
  await live("POST", "/settings_copy", { keys });
  const rules = (await live("GET", "/rules")).body.data;
  const endpoints = (await live("GET", "/webhook_endpoints")).body.data;
  assert.deepEqual(
    [rules.length, rules[0].status, endpoints.length, endpoints[0].enabled_events],
    [1, "disabled", 1, ["*"]],
  );
});

test("400: rejects the whole copy if one setting is unknown or not allowed in live mode", async () => {
  const { live, endpoint, local } = await createMerchant();
  for (const key of [local.id, "we_1", "block:ip_address"]) {
    const rejected = await live("POST", "/settings_copy", { keys: [endpoint.id, key] });
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "parameter_invalid",
      "keys",
    ]);
  }
  assert.deepEqual((await live("GET", "/webhook_endpoints")).body.data, []);
});

test("400: rejects a copy from live mode to test mode", async () => {
  const { owner } = await createMerchant();
  const rejected = await owner.api("GET", "/settings_copy");
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "livemode_mismatch"]);
});

test("400: rejects a copy that would exceed the maximum together with a concurrent creation", async () => {
  const { account, live, endpoint } = await createMerchant();
  const values = {
    scope: { account, livemode: true },
    enabledEvents: ["*" as const],
    description: null,
    status: "enabled" as const,
    metadata: {},
    secrets: { current: Buffer.alloc(40), previous: null },
  };
  const numbered = (count: number) => ({
    ...values,
    id: newId("we", shop.clock.now()),
    url: `https://shop.example/${count}`,
  });
  const { database } = shop.app;
  await database.transaction(async (tx) => {
    for (let count = 1; count < maxWebhookEndpoints; count++) {
      await insertEndpoint(tx, numbered(count));
    }
  });
  let copy: ReturnType<typeof live> | undefined;
  await database.transaction(async (tx) => {
    // Simulates a request that creates an endpoint and is about to commit.
    await lockAccount(tx, account);
    await insertEndpoint(tx, numbered(maxWebhookEndpoints));
    copy = live("POST", "/settings_copy", { keys: [endpoint.id] });
    await Promise.race([
      copy,
      until(
        () => countLockWaits(database),
        (count) => count > 0,
      ),
    ]);
  });
  assert.deepEqual(errorOf((await copy) as Awaited<ReturnType<typeof live>>), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "keys",
  ]);
  const { data, has_more } = (await live("GET", "/webhook_endpoints?limit=100")).body;
  assert.deepEqual([data.length, has_more], [maxWebhookEndpoints, false]);
});
