import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Permission } from "@florin/contract/permissions.ts";
import { roleNames, roles } from "@florin/contract/roles.ts";
import { newId } from "../../src/core/ids.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

/*
 * Tests how every endpoint of the OpenAPI document authenticates people. The tests are generated from the document, so
 * they include new endpoints.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());

type Endpoint = { method: string; path: string; permission: Permission };
const endpoints: Endpoint[] = [];
let ada: TestPerson;
before(async () => {
  const { paths } = shop.document;
  const now = shop.clock.now();
  for (const [path, methods] of Object.entries<Record<string, object>>(paths)) {
    for (const [method, changes] of Object.entries(methods)) {
      const permission = (changes as { "x-permission": Permission })["x-permission"];
      const requestPath = path
        .replace("{id}", newId("ch", now))
        // Adds an unknown parameter, which is rejected after authentication. An accepted stream would never end.
        .replace(/\/stream$/, "$&?no_such_field=1");
      endpoints.push({ method: method.toUpperCase(), path: requestPath, permission });
    }
  }
  ada = await createPerson(shop);
});

const scope = (account: string, mode = "test") => ({
  "florin-account": account,
  "florin-mode": mode,
});
const bodyOf = (method: string) => (method === "POST" ? { no_such_field: 1 } : undefined);

test("every endpoint declares the permission it requires", () => {
  assert.ok(endpoints.length > 70);
  for (const { path, permission } of endpoints) {
    assert.ok(roles.owner.permissions.has(permission), `${path} needs ${permission}`);
  }
});

for (const role of roleNames) {
  test(`the role ${role} has exactly its documented permissions`, async () => {
    const person = await createPerson(shop, { role });
    for (const { method, path, permission } of endpoints) {
      const headers = scope(shop.merchant.account);
      const reply = await person.send(method, path, bodyOf(method), headers);
      const denied = reply.status === 403 && reply.body.error.code === "permission_denied";
      const allowed = roles[role].permissions.has(permission);
      assert.equal(denied, !allowed, `${method} ${path} returned ${reply.status} to ${role}`);
    }
  });
}

test("404: no endpoint finds another merchant's account for a person", async () => {
  for (const { method, path } of endpoints) {
    for (const account of [shop.otherMerchant.account, newId("acct", shop.clock.now())]) {
      const reply = await ada.send(method, path, bodyOf(method), scope(account));
      const reported = errorOf(reply);
      assert.deepEqual(reported, [404, "invalid_request_error", "resource_missing", "id"], path);
      assert.equal(reply.body.error.message, `No such account: '${account}'.`);
    }
  }
});

test("403: rejects every change unless the browser declares it as same-origin", async () => {
  const forged = [403, "invalid_request_error", "cross_site_request"];
  for (const { method, path } of endpoints.filter((endpoint) => endpoint.method !== "GET")) {
    for (const from of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
    ]) {
      const headers = { cookie: ada.cookie(), ...scope(shop.merchant.account), ...from };
      const body = bodyOf(method);
      const reply = await shop.send(method, path, { headers, ...(body && { body }) });
      assert.deepEqual(errorOf(reply), forged, `${method} ${path} ${JSON.stringify(from)}`);
    }
  }
});

test("401: rejects a session cookie without the headers that a form cannot send", async () => {
  const headers = { cookie: ada.cookie(), "sec-fetch-site": "same-origin" };
  const charge = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const reply = await shop.send("POST", "/api/v1/charges", { headers, body: charge });
  assert.deepEqual(errorOf(reply), [401, "authentication_error", "api_key_missing"]);
});

test("415: rejects the content type of a form, with or without a session", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reply = await ada.send("POST", "/api/v1/customers", "name=Eve", {
    ...scope(shop.merchant.account),
    ...headers,
  });
  assert.deepEqual(errorOf(reply), [415, "invalid_request_error", "content_type_unsupported"]);
});

test("403: no endpoint accepts live mode for a session without a second factor", async () => {
  for (const { method, path } of endpoints) {
    const headers = scope(shop.merchant.account, "live");
    const reply = await ada.send(method, path, bodyOf(method), headers);
    assert.deepEqual(
      errorOf(reply),
      [403, "invalid_request_error", "second_factor_required"],
      `${method} ${path}`,
    );
  }
});

test("a key ignores session, origin and scope headers, and uses its own account and mode", async () => {
  const headers = {
    authorization: `Bearer ${shop.merchant.key}`,
    cookie: ada.cookie(),
    "sec-fetch-site": "cross-site",
    ...scope(shop.otherMerchant.account, "live"),
  };
  const { body } = await shop.send("GET", "/api/v1/account", { headers });
  assert.deepEqual([body.id, body.livemode], [shop.merchant.account, false]);
});

test("no response, successful or not, may be cached", async () => {
  for (const { headers } of [
    await ada.api("GET", "/account"),
    await shop.get("/charges"),
    await shop.get("/charges/ch_1"),
    await shop.send("GET", "/api/v1/account"),
  ]) {
    assert.equal(headers.get("cache-control"), "no-store");
  }
});

test("403: dangerous operations require a step-up within ten minutes, except for keys", async () => {
  const person = await createPerson(shop);
  const visa = { amount: 90_000, currency: "usd", payment_method_id: "pm_card_visa" };
  const { id: charge_id } = (await shop.post("/charges", visa)).body;
  const { id: endpoint } = (await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" }))
    .body;
  shop.clock.advance(10 * 60_000 + 1_000);
  const stale = [403, "invalid_request_error", "step_up_required"];
  for (const [path, body] of [
    ["/api_keys", { name: "New" }],
    ["/webhook_endpoints", { url: "http://127.0.0.1:9/" }],
    [`/webhook_endpoints/${endpoint}`, { url: "http://127.0.0.1:10/" }],
    [`/webhook_endpoints/${endpoint}/roll_secret`, {}],
    ["/invitations", { email: "eve@example.com", role: "admin" }],
    ["/refunds", { charge_id }],
    ["/refunds", { charge_id, amount: 50_000 }],
  ] as const) {
    assert.deepEqual(errorOf(await person.api("POST", path, body)), stale, path);
  }
  const small = await person.api("POST", "/refunds", { charge_id, amount: 49_999 });
  assert.equal(small.status, 201);
  const renamed = await person.api("POST", `/webhook_endpoints/${endpoint}`, { description: "x" });
  assert.equal(renamed.status, 200);
  assert.equal((await shop.post("/refunds", { charge_id })).status, 201);
});

test("403: the response with a new key is replayed only after a recent step-up, which is checked before anything else", async () => {
  const eve = await createPerson(shop);
  const headers = {
    ...scope(shop.merchant.account),
    "idempotency-key": "an old answer",
  };
  const request = (query: string) =>
    eve.send("POST", `/api/v1/api_keys${query}`, { name: "Old" }, headers);
  assert.equal((await request("")).status, 201);
  shop.clock.advance(11 * 60_000);
  const stale = [403, "invalid_request_error", "step_up_required"];
  for (const query of ["", "?no_such=1", "?a=%00"]) {
    assert.deepEqual(errorOf(await request(query)), stale, query);
  }
});

test("200: the audit log records refunds by people and not those by keys", async () => {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const visa = { amount: 5_000, currency: "usd", payment_method_id: "pm_card_visa" };
  const { id: charge_id } = (await shop.post("/charges", visa, { as: key })).body;
  await owner.api("POST", "/refunds", { charge_id, amount: 1_000, reason: "duplicate" });
  await shop.post("/refunds", { charge_id, amount: 500 }, { as: key });
  const { data } = (await owner.api("GET", `/audit_log?object_id=${charge_id}`)).body;
  assert.equal(data.length, 1);
  const [{ action, actor, after: changes, reason, livemode }] = data;
  assert.deepEqual(
    [action, actor.name, changes, reason, livemode],
    ["charge.refunded", owner.email, { amount: 1_000, currency: "usd" }, "duplicate", false],
  );
});

test("200: changes to rules, lists and reviews by people are recorded in the audit log", async () => {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const rule = (await owner.api("POST", "/rules", { expression: "false", outcome: "decline" }))
    .body;
  await owner.api("POST", `/rules/${rule.id}`, { status: "disabled" });
  await owner.api("DELETE", `/rules/${rule.id}`);
  const listed = { list: "block", attribute: "email", value: "eve@example.com" };
  const entry = (await owner.api("POST", "/list_entries", listed)).body;
  await owner.api("DELETE", `/list_entries/${entry.id}`);
  const risky = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_riskLevelElevated" };
  const { decision_id } = (await shop.post("/charges", risky, { as: key })).body;
  await owner.api("POST", `/decisions/${decision_id}/approve`, {});
  const { data } = (await owner.api("GET", `/audit_log?actor_id=${owner.id}`)).body;
  assert.deepEqual(
    data.map(({ action }: { action: string }) => action),
    [
      "review.approved",
      "list_entry.deleted",
      "list_entry.created",
      "rule.deleted",
      "rule.updated",
      "rule.created",
    ],
  );
  assert.deepEqual([data[4].before.status, data[4].after.status], ["enabled", "disabled"]);
});

test("200: people's changes to customers, saved cards and sessions are recorded without personal data", async () => {
  const { account, key: as } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const { id: customer_id } = (await shop.post("/customers", { name: "Ada" }, { as })).body;
  const attached = "/payment_methods/pm_card_visa/attach";
  const card = (await shop.post(attached, { customer_id }, { as })).body;
  const amount = { amount: 1_999, currency: "usd" };
  const { session } = (await shop.post("/checkout_sessions", amount, { as })).body;
  for (const [method, path, body] of [
    ["POST", `/checkout_sessions/${session.id}/expire`, {}],
    ["POST", `/customers/${customer_id}`, { name: "Eve" }],
    ["POST", `/payment_methods/${card.id}/detach`, {}],
    ["DELETE", `/customers/${customer_id}`, undefined],
  ] as const) {
    const { status, text } = await owner.api(method, path, body);
    assert.equal(status, 200, text);
  }
  const { data } = (await owner.api("GET", `/audit_log?actor_id=${owner.id}`)).body;
  assert.deepEqual(
    data.map(({ action, object_id, before, after: changes }: Record<string, unknown>) => [
      action,
      object_id,
      before,
      changes,
    ]),
    [
      ["customer.deleted", customer_id, null, null],
      ["payment_method.detached", card.id, null, null],
      ["customer.updated", customer_id, null, null],
      ["checkout_session.expired", session.id, null, null],
    ],
  );
});

test("an API key can call every documented operation and no other", async () => {
  const document = (await shop.send("GET", "/openapi.json")).body;
  const key = { authorization: `Bearer ${shop.merchant.key}` };
  const withheld: string[] = [];
  for (const { method, path } of endpoints) {
    const template = path.replace(/ch_[0-9a-z]{26}/, "{id}").split("?")[0] as string;
    const isDocumented = Boolean(document.paths[template]?.[method.toLowerCase()]);
    const body = bodyOf(method);
    const reply = await shop.send(method, path, { headers: key, ...(body && { body }) });
    if (template === "/api/v1/team/leave") {
      assert.ok(!isDocumented, "API keys must not be able to leave a team");
      continue;
    }
    const denied = reply.status === 403 && reply.body.error.code === "permission_denied";
    assert.equal(denied, !isDocumented, `${method} ${path} returned ${reply.status} to a key`);
    if (!isDocumented) withheld.push(template);
  }
  for (const about of ["api_keys", "members", "invitations", "application", "audit_log"]) {
    assert.ok(
      withheld.some((path) => path.startsWith(`/api/v1/${about}`)),
      about,
    );
  }
});

test("the OpenAPI document contains no unused schema", async () => {
  const { text, body } = await shop.send("GET", "/openapi.json");
  for (const name of Object.keys(body.components.schemas)) {
    assert.ok(text.includes(`"#/components/schemas/${name}"`), name);
  }
  for (const withheld of ["ApiKeyWithSecret", "Application", "Member", "AuditEntry"]) {
    assert.equal(body.components.schemas[withheld], undefined, withheld);
  }
});
