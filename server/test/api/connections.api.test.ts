import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import {
  acceptingAcquirer,
  apiKey,
  createConnectionClient,
  hmacKey,
  liveAdyen,
  sandboxAdyen,
} from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop({ workers: false, testConnection: acceptingAcquirer });
after(() => shop.close());
const { database } = shop.app;

const createOperator = () => createPerson(shop, { operator: true, secondFactor: true });
const operator = await createOperator();
const connections = createConnectionClient(shop, operator);
const path = "/operator/v1/connections";
const reason = "Agreed with the merchant.";

test("a connection is drafted, tested, activated, suspended, resumed, drained and retired", async () => {
  const { status, body } = await connections.create();
  assert.equal(status, 201);
  assert.equal(body.state, "draft");
  assert.match(
    body.webhook_url,
    /^http:\/\/127\.0\.0\.1:\d+\/acquirers\/[\w-]{32}\/notifications$/,
  );
  const { id } = body;

  const stored = await connections.change("PUT", id, "secrets", {
    api_key: apiKey,
    hmac_key: hmacKey,
  });
  assert.deepEqual([stored.body.state, stored.body.secrets.version], ["draft", 1]);
  const tested = await connections.change("POST", id, "test");
  assert.deepEqual(
    [tested.body.state, tested.body.test.secrets_version, tested.body.test.problem],
    ["tested", 1, null],
  );
  const early = await connections.change("POST", id, "activate");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "connection_not_ready"]);
  await connections.notify(id);
  for (const [action, state] of [
    ["activate", "active"],
    ["suspend", "suspended"],
    ["resume", "active"],
    ["drain", "draining"],
    ["retire", "retired"],
  ] as const) {
    const changed = await connections.change("POST", id, action);
    assert.deepEqual([changed.status, changed.body.state], [200, state], changed.text);
    assert.equal(changed.body.suspended_reason, state === "suspended" ? reason : null);
    assert.deepEqual((await connections.read(id)).body, changed.body);
  }
  const row = await connections.rowOf(id);
  assert.deepEqual(
    [row.secrets, row.previous_secrets],
    [null, null],
    "a retired connection stores no secrets",
  );
  const late = await connections.change("POST", id, "activate");
  assert.deepEqual(errorOf(late), [400, "invalid_request_error", "status_transition_invalid"]);
});

test("a failed test is shown with its problem, and prevents the activation", async () => {
  const { id } = (await connections.create()).body;
  const missing = await connections.change("POST", id, "test");
  assert.deepEqual(errorOf(missing), [400, "invalid_request_error", "connection_not_ready"]);
  await connections.change("PUT", id, "secrets", { api_key: "revoked", hmac_key: hmacKey });
  const { body } = await connections.change("POST", id, "test");
  assert.equal(body.state, "draft");
  assert.equal(body.test.problem, "The acquirer rejected the API key (HTTP 401).");
  const early = await connections.change("POST", id, "activate");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "status_transition_invalid"]);
});

test("a sandbox connection is activated on an instance that uses sandboxes", async () => {
  const service = await startShop({
    workers: false,
    acquirers: "sandbox",
    testConnection: acceptingAcquirer,
  });
  after(() => service.close());
  const person = await createPerson(service, { operator: true, secondFactor: true });
  const client = createConnectionClient(service, person);
  const { id } = (await client.create(sandboxAdyen)).body;
  await client.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
  await client.change("POST", id, "test");
  await client.notify(id);
  assert.equal((await client.change("POST", id, "activate")).body.state, "active");
  assert.equal((await person.send("GET", path)).body.environment, "sandbox");
});

test("400: a sandbox connection is not activated on an instance that charges real cards", async () => {
  const { id } = (await connections.create(sandboxAdyen)).body;
  await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
  await connections.change("POST", id, "test");
  await connections.notify(id);
  const rejected = await connections.change("POST", id, "activate");
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "connection_environment_mismatch",
  ]);
});

test("400: rejects the second of two changes that name the same version", async () => {
  const { id, version } = (await connections.create()).body;
  const changes = ["A", "B"].map((name) =>
    operator.send("PATCH", `${path}/${id}`, { version, name, reason }),
  );
  const replies = await Promise.all(changes);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
  const rejected = replies.find(({ status }) => status === 400);
  assert(rejected);
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "resource_changed",
    "version",
  ]);
  for (const [method, action] of [
    ["PUT", "secrets"],
    ["POST", "test"],
    ["POST", "retire"],
  ] as const) {
    const secrets = action === "secrets" ? { api_key: apiKey, hmac_key: hmacKey } : {};
    const because = action === "test" ? {} : { reason };
    const body = { version, ...secrets, ...because };
    const late = await operator.send(method, `${path}/${id}/${action}`, body);
    assert.deepEqual(errorOf(late), [400, "invalid_request_error", "resource_changed", "version"]);
  }
});

test("name and rate limit change in any state, and settings only before the activation", async () => {
  const { id } = await connections.createActive();
  const renamed = await connections.change("PATCH", id, "", {
    name: "Adyen 2",
    requests_per_second: 20,
  });
  assert.deepEqual(
    [renamed.body.state, renamed.body.name, renamed.body.requests_per_second],
    ["active", "Adyen 2", 20],
  );
  const unlimited = await connections.change("PATCH", id, "", { requests_per_second: null });
  assert.equal(unlimited.body.requests_per_second, null);
  const settings = { merchant_account: "AnotherECOM", live_prefix: "prefix" };
  const rejected = await connections.change("PATCH", id, "", { settings });
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "status_transition_invalid"]);
  const ready = await connections.createReady();
  const changed = await connections.change("PATCH", ready.id, "", { settings });
  assert.deepEqual([changed.body.state, changed.body.settings], ["draft", settings]);
});

test("the public key changes in any state, without another test, and decides which wallets can be offered", async () => {
  const stripe = {
    processor: "stripe",
    settings: { merchant_account: "acct_1Fieldware" },
    public_key: null,
  };
  const created = (await connections.create(stripe)).body;
  assert.deepEqual([created.public_key, created.gateway_wallets], [null, []]);
  const public_key = "pk_live_51FieldwareStripe";
  const { body } = await connections.change("PATCH", created.id, "", { public_key });
  assert.deepEqual([body.public_key, body.gateway_wallets], [public_key, ["google_pay"]]);
  const active = await connections.createActive();
  assert.deepEqual(
    [active.public_key, active.gateway_wallets],
    [null, ["google_pay", "apple_pay"]],
  );
  const entry = (await connections.entriesOf(created.id)).at(-1) as {
    after: { public_key: string };
  };
  assert.equal(entry.after.public_key, public_key);
});

test("400: rejects a public key of another kind or environment, and one for Adyen", async () => {
  const stripe = { processor: "stripe", settings: { merchant_account: "acct_1Fieldware" } };
  for (const [changes, public_key] of [
    [stripe, "pk_test_51FieldwareStripe"],
    [stripe, "sk_live_51FieldwareStripe"],
    [{}, "pk_live_51FieldwareStripe"],
  ] as const) {
    const rejected = await connections.create({ ...changes, public_key });
    assert.deepEqual(errorOf(rejected).slice(0, 2), [400, "invalid_request_error"]);
    assert.equal(rejected.body.error.param, "public_key");
    assert.ok(!rejected.text.includes("51Fieldware"), rejected.text);
  }
});

test("400: rejects malformed settings and secrets and names the parameter", async () => {
  const settings = liveAdyen.settings;
  for (const [changes, code, param] of [
    [
      { settings: { ...settings, merchant_account: "a b" } },
      "parameter_invalid",
      "settings.merchant_account",
    ],
    [
      { settings: { merchant_account: "FieldwareECOM" } },
      "parameter_missing",
      "settings.live_prefix",
    ],
    [
      { settings: { ...settings, live_prefix: "https://x" } },
      "parameter_invalid",
      "settings.live_prefix",
    ],
    [{ environment: "sandbox" }, "parameter_invalid", "settings.live_prefix"],
    [{ environment: "test" }, "parameter_invalid", "environment"],
    [{ processor: "unknown" }, "parameter_invalid", "processor"],
    [{ requests_per_second: 0 }, "parameter_invalid", "requests_per_second"],
  ] as const) {
    const rejected = await connections.create(changes);
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", code, param]);
  }
  const { id } = (await connections.create()).body;
  for (const [body, code, param] of [
    [{ api_key: "" }, "parameter_invalid_string_empty", "api_key"],
    [{ api_key: "two words" }, "parameter_invalid", "api_key"],
    [{ hmac_key: hmacKey.slice(1) }, "parameter_invalid", "hmac_key"],
    [{ hmac_key: `${hmacKey.slice(1)}g` }, "parameter_invalid", "hmac_key"],
    [{ overlap_hours: 169 }, "parameter_invalid", "overlap_hours"],
  ] as const) {
    const rejected = await connections.change("PUT", id, "secrets", body);
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", code, param]);
  }
});

test("403: every change requires a step-up after ten minutes", async () => {
  const { id, version } = (await connections.create()).body;
  const idleOperator = await createOperator();
  shop.clock.advance(11 * minute);
  after(() => shop.clock.advance(-11 * minute));
  const versioned = { version, reason };
  for (const [method, place, body] of [
    ["POST", "", liveAdyen],
    ["PATCH", `/${id}`, versioned],
    ["PUT", `/${id}/secrets`, { ...versioned, api_key: apiKey, hmac_key: hmacKey }],
    ["POST", `/${id}/test`, { version }],
    ["POST", `/${id}/activate`, versioned],
    ["POST", `/${id}/suspend`, versioned],
    ["POST", `/${id}/resume`, versioned],
    ["POST", `/${id}/drain`, versioned],
    ["POST", `/${id}/retire`, versioned],
  ] as const) {
    const rejected = await idleOperator.send(method, `${path}${place}`, body);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "step_up_required"], place);
  }
  assert.equal((await idleOperator.send("GET", `${path}/${id}`)).status, 200);
  shop.clock.advance(-11 * minute);
});

test("every change writes an audit entry with the states, the reason and the operator", async () => {
  const { id } = await connections.createActive();
  const entries = await connections.entriesOf(id);
  assert.deepEqual(
    entries.map(({ action, actor_id }) => [action, actor_id]),
    [
      "connection.created",
      "connection.secrets_stored",
      "connection.tested",
      "connection.activated",
    ].map((action) => [action, operator.id]),
  );
  const [, secrets, , activated] = entries as { before: object; after: object; reason: string }[];
  assert.deepEqual(secrets?.after, {
    state: "draft",
    secrets_version: 1,
    replaced: ["api_key", "hmac_key"],
    previous_until: null,
  });
  assert.deepEqual(
    [activated?.before, activated?.after, activated?.reason],
    [{ state: "tested" }, { state: "active" }, reason],
  );
});

test("the processors of live mode are the active connections", async () => {
  const { id } = await connections.createActive();
  await connections.change("PATCH", id, "", { name: "Adyen of the processors" });
  const names = async () => {
    const { data } = (await operator.send("GET", "/operator/v1/processors")).body;
    const live = data.find(({ mode }: { mode: string }) => mode === "live");
    assert.equal(live.configured, true);
    return live.settings.at(-1).value;
  };
  assert.match(await names(), /Adyen of the processors/);
  await connections.change("POST", id, "suspend");
  assert.doesNotMatch(await names(), /Adyen of the processors/);
});

test("a connection that has sent no requests has empty health figures", async () => {
  const { id } = await connections.createActive();
  assert.deepEqual((await operator.send("GET", `${path}/${id}/responses`)).body, { data: [] });
  assert.deepEqual((await operator.send("GET", `${path}/${id}/health`)).body, {
    state: "active",
    circuit: { is_open: false, failures: 0, open_until: null },
    responses: { count: 0, outcomes: {}, median_ms: null, p95_ms: null, last_at: null },
    notifications: { pending: 0, unmatched: 0, review: 0 },
  });
});

test("404: rejects the ID of an unknown connection and the ID of another object type", async () => {
  for (const id of [newId("con", shop.clock.now()), shop.merchant.account, "nothing"]) {
    for (const place of ["", "/health", "/responses", "/notifications", "/reports"]) {
      const missing = await operator.send("GET", `${path}/${id}${place}`);
      assert.deepEqual(errorOf(missing), [404, "invalid_request_error", "resource_missing", "id"]);
    }
  }
});

test("API keys, team members and anonymous callers can use none of the routes", async () => {
  const routes = shop.app.servedRoutes.filter(
    ({ method, url }) =>
      method !== "HEAD" && /^\/operator\/v1\/(connections|assignments)/.test(url),
  );
  assert.equal(routes.length, 22);
  const owner = await createPerson(shop, { secondFactor: true });
  const { id } = (await connections.create()).body;
  for (const { method, url } of routes) {
    const place = url.replace(/:\w+/, id);
    const body = method === "GET" ? undefined : {};
    const asMember = await owner.send(method, place, body);
    assert.deepEqual(errorOf(asMember), [403, "invalid_request_error", "permission_denied"], place);
    const headers = {
      "sec-fetch-site": "same-origin",
      authorization: `Bearer ${shop.merchant.key}`,
    };
    const withKey = await shop.send(method, place, { headers, body });
    assert.deepEqual(errorOf(withKey), [401, "authentication_error", "sign_in_required"], place);
  }
});

/** Updates of an active connection, by the constraint that each violates. */
const violations: Readonly<Record<string, string>> = {
  certification_complete: "certified_checks = 1",
  certified_in_sandbox: "certified_at = now(), certified_connector = 'Adyen', certified_checks = 1",
  endpoint_key_form: "endpoint_key = 'short'",
  processor_known: "processor = 'unknown', settings = settings - 'live_prefix'",
  environment_known: "environment = 'test', settings = settings - 'live_prefix'",
  state_known: "state = 'unknown'",
  merchant_account: "settings = settings - 'merchant_account'",
  live_prefix: "environment = 'sandbox'",
  requests_per_second_range: "requests_per_second = 0",
  secrets_match_state: "secrets = null",
  secrets_configured_at: "secrets_configured_at = null",
  previous_secrets_expire: "previous_secrets_until = now()",
  previous_secrets_have_successor:
    "state = 'retired', secrets = null, previous_secrets = 'x', previous_secrets_until = now()",
  test_complete: "test_passed_at = null",
  tested_with_these_secrets: "secrets_version = secrets_version + 1",
  notification_complete: "notification_secrets_version = null",
  active_receives_notifications: "notification_seen_at = null, notification_secrets_version = null",
  suspended_reason_matches_state: "suspended_reason = 'A reason'",
};

test("the database rejects every state of a connection that the code does not write", async () => {
  const { id } = await connections.createActive();
  const rejectedBy = async (change: string) => {
    const text = `update processor_connections set ${change} where id = '${uuidOf(id)}'`;
    const update = database.transaction(async (tx) => {
      await tx`select set_config('florin.damage', 'on', true)`;
      await tx({ name: "", text });
    });
    return update.then(
      () => null,
      (error: { constraint?: string }) => error.constraint,
    );
  };
  for (const [constraint, change] of Object.entries(violations)) {
    assert.equal(await rejectedBy(change), `processor_connections_${constraint}`, change);
  }
  const rows = await database.read<{ name: string }>`
    select conname as name from pg_constraint
     where conrelid = 'processor_connections'::regclass and contype = 'c'
  `;
  assert.deepEqual(
    rows.map(({ name }) => name.replace("processor_connections_", "")).sort(),
    Object.keys(violations).sort(),
  );
});
