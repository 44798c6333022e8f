import assert from "node:assert/strict";
import { after, test } from "node:test";
import { keyPermissions, type Permission } from "@florin/contract/permissions.ts";
import { newId, uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import type { ServedRoute } from "../../src/platform/http/access.ts";
import { createCheckout } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { uploadEvidence } from "../upload-evidence.ts";

/*
 * States the permission of every endpoint independently of the routes, and tests what each single permission allows. A
 * new endpoint fails these tests until it is added to the table.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());

/** The endpoints that each permission allows. */
const endpointsOf: Readonly<Record<Permission, readonly string[]>> = {
  "payments:read": [
    "GET /charges",
    "GET /charges.csv",
    "GET /charges/:id",
    "GET /charges/:id/timeline",
    "GET /charges/count",
    "GET /checkout_sessions",
    "GET /checkout_sessions/:id",
    "GET /metrics/approvals",
    "GET /metrics/customers",
    "GET /metrics/payments",
    "GET /refunds",
    "GET /refunds.csv",
    "GET /refunds/:id",
    "GET /saved_views",
    "GET /search",
  ],
  "payments:write": [
    "DELETE /saved_views/:id",
    "POST /charges",
    "POST /charges/:id",
    "POST /charges/:id/cancel",
    "POST /charges/:id/capture",
    "POST /checkout_sessions",
    "POST /checkout_sessions/:id/expire",
    "POST /saved_views",
    "POST /saved_views/:id",
  ],
  "refunds:write": ["POST /refunds"],
  "customers:read": [
    "GET /customers",
    "GET /customers.csv",
    "GET /customers/:id",
    "GET /payment_methods",
    "GET /payment_methods/:id",
    "GET /receipts",
  ],
  "customers:write": [
    "DELETE /customers/:id",
    "POST /customers",
    "POST /customers/:id",
    "POST /payment_methods/:id/attach",
    "POST /payment_methods/:id/detach",
    "POST /receipts",
  ],
  "disputes:read": [
    "GET /dispute_files",
    "GET /dispute_files/:id/content",
    "GET /disputes",
    "GET /disputes.csv",
    "GET /disputes/:id",
    "GET /disputes/count",
  ],
  "disputes:write": [
    "DELETE /dispute_files/:id",
    "GET /disputes/:id/evidence_document",
    "GET /disputes/:id/evidence_draft",
    "POST /dispute_files",
    "POST /disputes/:id/accept",
    "POST /disputes/:id/evidence",
    "POST /disputes/:id/evidence_draft",
  ],
  "decisions:read": [
    "GET /decisions",
    "GET /decisions/:id",
    "GET /list_entries",
    "GET /list_entries/:id",
    "GET /rules",
    "GET /rules/:id",
    "POST /rule_trials",
  ],
  "decisions:write": [
    "DELETE /list_entries/:id",
    "DELETE /rules/:id",
    "POST /decisions",
    "POST /list_entries",
    "POST /rules",
    "POST /rules/:id",
  ],
  "reviews:write": ["POST /decisions/:id/approve", "POST /decisions/:id/decline"],
  "balance:read": [
    "GET /balance",
    "GET /balance_transactions",
    "GET /balance_transactions.csv",
    "GET /balance_transactions/:id",
    "GET /charges/:id/ledger",
    "GET /payouts",
    "GET /payouts/:id",
    "GET /reconciliation_differences",
    "GET /reconciliations",
    "GET /reconciliations/:id",
  ],
  "payouts:write": ["POST /payouts", "POST /reconciliations"],
  "webhooks:read": [
    "GET /webhook_deliveries/:id",
    "GET /webhook_endpoints",
    "GET /webhook_endpoints/:id",
    "GET /webhook_endpoints/:id/deliveries",
  ],
  "webhooks:write": [
    "DELETE /webhook_endpoints/:id",
    "POST /webhook_deliveries/:id/resend",
    "POST /webhook_endpoints",
    "POST /webhook_endpoints/:id",
    "POST /webhook_endpoints/:id/ping",
    "POST /webhook_endpoints/:id/resend",
    "POST /webhook_endpoints/:id/roll_secret",
    "POST /webhook_endpoints/:id/sample_event",
  ],
  "events:read": ["GET /events", "GET /events/:id", "GET /events/stream"],
  "logs:read": ["GET /request_errors", "GET /request_logs", "GET /request_logs/:id"],
  "test_helpers:write": [
    "POST /test_helpers/clock/advance",
    "POST /test_helpers/disputes",
    "POST /test_helpers/disputes/:id/close",
    "POST /test_helpers/payouts/:id/fail",
    "POST /test_helpers/refunds/:id/fail",
  ],
  "account:read": [
    "GET /account",
    "GET /notification_preferences",
    "GET /notifications",
    "POST /notification_preferences",
    "POST /notifications/read",
    "POST /team/leave",
  ],
  "account:write": [
    "DELETE /account/logo",
    "POST /account",
    "POST /account/logo",
    "POST /account/profile",
  ],
  "settings:copy": ["GET /settings_copy", "POST /settings_copy"],
  "audit:read": ["GET /audit_log"],
  "keys:read": ["GET /api_keys", "GET /api_keys/:id"],
  "keys:write": [
    "POST /api_keys",
    "POST /api_keys/:id",
    "POST /api_keys/:id/revoke",
    "POST /api_keys/:id/roll",
  ],
  "team:read": ["GET /invitations", "GET /members"],
  "team:write": [
    "DELETE /members/:id",
    "POST /invitations",
    "POST /invitations/:id/revoke",
    "POST /members/:id",
  ],
  "application:read": ["GET /application"],
  "application:write": [
    "DELETE /application/documents/:id",
    "POST /application/bank_account",
    "POST /application/business",
    "POST /application/documents",
    "POST /application/people",
    "POST /application/products",
    "POST /application/submit",
    "POST /application/website",
  ],
};

/** The endpoints that only people can call, although keys can have the required permission. */
const peopleOnly: ReadonlySet<string> = new Set([
  "DELETE /account/logo",
  "GET /notification_preferences",
  "GET /notifications",
  "POST /account/logo",
  "POST /notification_preferences",
  "POST /notifications/read",
  "POST /team/leave",
]);

/** The endpoints that change data of both modes. After the approval, they can be called only in live mode. */
const changesBothModes: ReadonlySet<string> = new Set([
  "DELETE /account/logo",
  "DELETE /application/documents/:id",
  "DELETE /members/:id",
  "POST /account/logo",
  "POST /account/profile",
  "POST /application/bank_account",
  "POST /application/business",
  "POST /application/documents",
  "POST /application/people",
  "POST /application/products",
  "POST /application/submit",
  "POST /application/website",
  "POST /invitations",
  "POST /invitations/:id/revoke",
  "POST /members/:id",
  "POST /team/leave",
]);

const { servedRoutes } = shop.app;
const endpoints = servedRoutes
  .filter(({ method, url }) => method !== "HEAD" && url.startsWith("/api/v1/"))
  .map(({ method, url, access }) => {
    const path = url.replace("/api/v1", "");
    return { method, path, name: `${method} ${path}`, permission: access?.permission };
  });

/** Returns the path with the ID of a missing object. A stream gets an unknown parameter, because it would never end. */
const pathOf = (path: string, id = newId("ch", shop.clock.now())) =>
  path.replace(":id", id).replace(/\/stream$/, "$&?no_such_field=1");

function request(as: string, method: string, path: string): Promise<Reply> {
  return shop.send(method, `/api/v1${path}`, {
    headers: { authorization: `Bearer ${as}` },
    ...(method === "POST" && { body: { no_such_field: 1 } }),
  });
}

const isDenied = ({ status, body }: Reply) =>
  status === 403 && body.error.code === "permission_denied";

/** Creates a key that has only these permissions. */
async function keyWith(...permissions: Permission[]): Promise<SecretKey> {
  const { id, secret } = await shop.issueKey(shop.merchant.account, false);
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set permissions = ${permissions} where id = ${uuidOf(id)}`,
  );
  return secret;
}

test("every endpoint requires exactly the permission of the table", () => {
  const declared = endpoints.map(({ name, permission }) => `${permission}: ${name}`);
  const stated = Object.entries(endpointsOf).flatMap(([permission, names]) =>
    names.map((name) => `${permission}: ${name}`),
  );
  assert.ok(declared.length > 100);
  assert.deepEqual(declared.toSorted(), stated.toSorted());
});

for (const permission of keyPermissions) {
  test(`403: a key with only ${permission} can call its endpoints and no other`, async () => {
    const key = await keyWith(permission);
    const allowed = new Set(endpointsOf[permission].filter((name) => !peopleOnly.has(name)));
    const replies = await Promise.all(
      endpoints.map(({ method, path }) => request(key, method, pathOf(path))),
    );
    for (const [at, { name }] of endpoints.entries()) {
      const reply = replies[at] as Reply;
      assert.equal(isDenied(reply), !allowed.has(name), `${name}: ${reply.status} ${reply.text}`);
      assert.notEqual(reply.status, 401, name);
    }
  });
}

test("401: no endpoint accepts a client secret, a publishable key or an operator's session as a key", async () => {
  const { secret } = await createCheckout(shop);
  const operator = await createPerson(shop, {
    account: shop.otherMerchant.account,
    operator: true,
    secondFactor: true,
  });
  for (const { method, path, name } of endpoints) {
    for (const credential of [secret, shop.merchant.key.replace("sk_", "pk_")]) {
      assert.equal((await request(credential, method, pathOf(path))).status, 401, name);
    }
    for (const mode of ["test", "live"]) {
      const reply = await operator.send(
        method,
        `/api/v1${pathOf(path)}`,
        method === "POST" ? {} : undefined,
        { "florin-account": shop.merchant.account, "florin-mode": mode },
      );
      assert.deepEqual(errorOf(reply).slice(2), ["resource_missing", "id"], name);
      assert.match(reply.body.error.message, /^No such account/);
    }
  }
});

test("no route for browsers accepts a secret key", async () => {
  const kinds = ["session", "operator_session", "client_secret", "callback_secret"];
  const routes = servedRoutes.filter(
    ({ method, url, access }) =>
      method !== "HEAD" && kinds.includes(access?.authentication ?? "") && !/\.(js|css)$/.test(url),
  );
  assert.ok(routes.length > 60);
  const send = ({ method, url }: ServedRoute, headers: Record<string, string>) =>
    shop.send(method, url.replace(":mode", "test").replace(/:\w+/g, "nothing"), {
      headers: { "sec-fetch-site": "same-origin", ...headers },
      ...(method !== "GET" && method !== "DELETE" && { body: {} }),
    });
  for (const route of routes) {
    const anonymous = await send(route, {});
    assert.ok(anonymous.status >= 400, `${route.method} ${route.url}: ${anonymous.status}`);
    const headers = {
      authorization: `Bearer ${shop.merchant.key}`,
      "florin-account": shop.merchant.account,
      "florin-mode": "test",
    };
    const reply = await send(route, headers);
    assert.equal(reply.status, anonymous.status, `${route.method} ${route.url}`);
    assert.equal(reply.body?.error?.code, anonymous.body?.error?.code, route.url);
  }
});

test("403: after the approval, exactly the endpoints of the table can be called in live mode only", async () => {
  const approved = await shop.createMerchant({ status: "approved" });
  const owner = await createPerson(shop, { account: approved.account });
  for (const { method, path, name } of endpoints) {
    // The last request would remove the only owner, if it were accepted.
    const body = method === "POST" ? { no_such_field: 1 } : undefined;
    const reply = await owner.api(method, pathOf(path), body);
    const rejected = reply.isJson && reply.body.error?.code === "live_mode_required";
    assert.equal(rejected, changesBothModes.has(name), `${name}: ${reply.status} ${reply.text}`);
  }
});

// One object of every kind, for the tests below.
const visa = { amount: 4_321, currency: "usd", payment_method_id: "pm_card_visa" };
const post = async (path: string, body: object): Promise<string> => {
  const reply = await shop.post(path, body);
  assert.ok(reply.status < 300, reply.text);
  return reply.body.id;
};
const hook = "http://127.0.0.1:9/hook-of-the-merchant";
const endpoint = await post("/webhook_endpoints", { url: hook });
const customer = await post("/customers", { name: "Katherine", email: "katherine@nasa.example" });
const card = await post("/payment_methods/pm_card_visa/attach", { customer_id: customer });
const charge = await post("/charges", { ...visa, payment_method_id: card, customer_id: customer });
const refund = await post("/refunds", { charge_id: charge, amount: 321 });
await post("/receipts", { charge_id: charge, email: "katherine@nasa.example" });
const disputed = await post("/charges", visa);
const dispute = await post("/test_helpers/disputes", { charge_id: disputed });
const file = (await uploadEvidence(shop, dispute)).body.id;
await post(`/disputes/${dispute}/evidence_draft`, {
  version: 0,
  evidence: { uncategorized_text: "A draft for the issuer" },
});
await shop.app.database.transaction((tx) => tx`update accounts set settlement_days = 0`);
await post("/charges", { ...visa, amount: 90_000 });
shop.clock.advance(1_000);
const payout = await post("/payouts", { amount: 1_234, currency: "usd" });
const rule = await post("/rules", { expression: "amount > 987654321", outcome: "decline" });
const entry = await post("/list_entries", {
  list: "block",
  attribute: "email",
  value: "eve@blocked.example",
});
await post(`/webhook_endpoints/${endpoint}/ping`, {});
const session = (await createCheckout(shop)).session;
await shop.app.writeRequestLog();
const owner = await createPerson(shop);
const key: string = (await owner.api("POST", "/api_keys", { name: "A key of the shop" })).body.id;
const byKatherine = { ...visa, description: "Paid by a person" };
await owner.api("POST", "/charges", byKatherine);
await shop.app.writeRequestLog();

/**
 * Texts of objects, and the permissions that may read them. The request log and webhook deliveries contain the bodies
 * of requests and events, so both read nearly everything.
 */
const everywhere: readonly Permission[] = ["logs:read", "webhooks:read"];
const texts: readonly (readonly [text: string, permissions: readonly Permission[]])[] = [
  [hook, []],
  [endpoint, []],
  ["Katherine", ["customers:read"]],
  ["katherine@nasa.example", ["customers:read"]],
  ["A draft for the issuer", ["disputes:write"]],
  [file, ["disputes:read"]],
  // A transfer and a balance transaction contain the ID of their source.
  [dispute, ["disputes:read", "balance:read"]],
  ["dispute.opened", ["disputes:read"]],
  [payout, ["balance:read"]],
  ["987654321", ["decisions:read"]],
  ["eve@blocked.example", ["decisions:read"]],
  ["A key of the shop", []],
];

for (const permission of keyPermissions) {
  test(`200: a key with only ${permission} reads nothing that requires another permission`, async () => {
    const restricted = await keyWith(permission);
    const ids = [
      ...[charge, disputed, refund, dispute, file, payout, rule, entry, endpoint, customer, card],
      ...[session, key],
    ];
    const events = (await shop.events()).map(({ id }) => id);
    const paths = endpointsOf[permission]
      .filter((name) => name.startsWith("GET ") && !peopleOnly.has(name))
      .map((name) => name.slice("GET ".length))
      .flatMap((path) =>
        path.includes(":id") ? [...ids, ...events].map((id) => pathOf(path, id)) : [path],
      )
      .filter((path) => !path.endsWith("/stream"));
    const searches = [...ids, "Katherine", "katherine@nasa.example"].map(
      (text) => `/search?query=${encodeURIComponent(text)}`,
    );
    if (permission === "payments:read") paths.push(...searches);
    for (const path of paths) {
      const { status, text } = await shop.get(path, { as: restricted });
      if (status !== 200) continue;
      for (const [value, permissions] of texts) {
        if (everywhere.includes(permission) || permissions.includes(permission)) continue;
        // A response may contain an ID that is in its own path.
        assert.ok(!text.includes(value) || path.includes(value), `${path} contains ${value}`);
      }
    }
  });
}
