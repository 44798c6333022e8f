import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { pdf, uploadDocument } from "../application.ts";
import { createCheckout } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { uploadEvidence } from "../upload-evidence.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const approved = await shop.createMerchant({ status: "approved" });
const live = (await shop.issueKey(approved.account, true)).secret;
const ownLive = (await shop.issueKey(shop.merchant.account, true)).secret;

// One object of every kind that the merchant can have in test mode.
const endpoint = (await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body.id;
const decision = (await shop.post("/decisions", visa)).body.id;
const charge = (await shop.post("/charges", visa)).body.id;
const refund = (await shop.post("/refunds", { charge_id: charge, amount: 500 })).body.id;
const disputed = (await shop.post("/charges", visa)).body.id;
const dispute = (await shop.post("/test_helpers/disputes", { charge_id: disputed })).body.id;
const disputeFile = (await uploadEvidence(shop, dispute)).body.id;
await shop.app.database.transaction((tx) => tx`update accounts set settlement_days = 0`);
await shop.post("/charges", { ...visa, amount: 10_000 });
shop.clock.advance(1_000);
const paidOut = (await shop.post("/payouts", { amount: 100, currency: "usd" })).body;
const { id: payout, balance_transaction_id: movement } = paidOut;
await shop.app.database.transaction(
  (tx) => tx`update simulator.operations set amount = amount - 1 where kind = 'refund'`,
);
const reconciled = { day: shop.clock.now().toISOString().slice(0, 10) };
const reconciliation = (await shop.post("/reconciliations", reconciled)).body.id;
const checkout = await createCheckout(shop, { client_reference_id: "order-7" });
const method = (await checkout.type("4242424242424242")).body.payment_method_id;
const customer = (await shop.post("/customers", { name: "Ada" })).body.id;
const rule = (await shop.post("/rules", { expression: "false", outcome: "decline" })).body.id;
const blocked = { list: "block", attribute: "email", value: "eve@example.com" };
const listed = (await shop.post("/list_entries", blocked)).body.id;
await shop.app.writeRequestLog();
const logged = (await shop.get("/request_logs")).body.data[0].id;
const saved = { list: "charges", name: "Mine", query: "status=failed" };
const view = (await shop.post("/saved_views", saved)).body.id;
const toAda = { charge_id: charge, email: "ada@example.com" };
assert.equal((await shop.post("/receipts", toAda)).status, 201);
const event = (await shop.events())[0].id;
const delivery = (await shop.get(`/webhook_endpoints/${endpoint}/deliveries`)).body.data[0].id;

/** Every endpoint whose path contains the ID of an object, with the ID of an existing object. */
const objectEndpoints: readonly (readonly [
  method: string,
  path: string,
  id: string,
  body?: object,
])[] = [
  ["GET", "/charges/:id", charge],
  ["GET", "/charges/:id/ledger", charge],
  ["GET", "/charges/:id/timeline", charge],
  ["POST", "/charges/:id", charge, { description: "mine now" }],
  ["POST", "/charges/:id/capture", charge, {}],
  ["POST", "/charges/:id/cancel", charge, {}],
  ["GET", "/refunds/:id", refund],
  ["POST", "/test_helpers/refunds/:id/fail", refund, {}],
  ["GET", "/balance_transactions/:id", movement],
  ["GET", "/payouts/:id", payout],
  ["POST", "/test_helpers/payouts/:id/fail", payout, {}],
  ["GET", "/reconciliations/:id", reconciliation],
  ["GET", "/disputes/:id", dispute],
  ["POST", "/disputes/:id/evidence", dispute, { uncategorized_text: "mine" }],
  ["POST", "/disputes/:id/accept", dispute, {}],
  ["GET", "/disputes/:id/evidence_draft", dispute],
  ["POST", "/disputes/:id/evidence_draft", dispute, { version: 0, evidence: {} }],
  ["GET", "/disputes/:id/evidence_document", dispute],
  ["GET", "/dispute_files/:id/content", disputeFile],
  ["DELETE", "/dispute_files/:id", disputeFile],
  ["POST", "/test_helpers/disputes/:id/close", dispute, { outcome: "lost" }],
  ["GET", "/checkout_sessions/:id", checkout.session],
  ["POST", "/checkout_sessions/:id/expire", checkout.session, {}],
  ["GET", "/payment_methods/:id", method],
  ["POST", "/payment_methods/:id/detach", method, {}],
  ["POST", "/payment_methods/:id/attach", method, { customer_id: customer }],
  ["GET", "/customers/:id", customer],
  ["POST", "/customers/:id", customer, { name: "Eve" }],
  ["DELETE", "/customers/:id", customer],
  ["GET", "/rules/:id", rule],
  ["POST", "/rules/:id", rule, { expression: "true" }],
  ["DELETE", "/rules/:id", rule],
  ["GET", "/list_entries/:id", listed],
  ["DELETE", "/list_entries/:id", listed],
  ["GET", "/request_logs/:id", logged],
  ["POST", "/saved_views/:id", view, { name: "Theirs" }],
  ["DELETE", "/saved_views/:id", view],
  ["POST", "/decisions/:id/approve", decision, {}],
  ["POST", "/decisions/:id/decline", decision, {}],
  ["GET", "/decisions/:id", decision],
  ["GET", "/events/:id", event],
  ["GET", "/webhook_endpoints/:id", endpoint],
  ["POST", "/webhook_endpoints/:id", endpoint, { status: "disabled" }],
  ["DELETE", "/webhook_endpoints/:id", endpoint],
  ["POST", "/webhook_endpoints/:id/roll_secret", endpoint, {}],
  ["POST", "/webhook_endpoints/:id/ping", endpoint, {}],
  ["POST", "/webhook_endpoints/:id/sample_event", endpoint, { type: "refund.failed" }],
  ["GET", "/webhook_endpoints/:id/deliveries", endpoint],
  ["POST", "/webhook_endpoints/:id/resend", endpoint, { since: 0 }],
  ["GET", "/webhook_deliveries/:id", delivery],
  ["POST", "/webhook_deliveries/:id/resend", delivery, {}],
];

const request = (as: SecretKey, verb: string, path: string, body?: object) =>
  shop.send(verb, `/api/v1${path}`, {
    headers: { authorization: `Bearer ${as}` },
    ...(body && { body }),
  });

/** Returns the response without the id of the request and the requested id. */
function errorWithoutIds({ status, body, headers }: Reply, id: string) {
  const { request_id, ...error } = body.error;
  return [status, headers.get("content-type"), JSON.stringify(error).replaceAll(id, "…")];
}

for (const [verb, path, id, body] of objectEndpoints) {
  const prefix = id.slice(0, id.indexOf("_"));
  for (const [whose, key] of [
    ["another merchant", shop.otherMerchant.key],
    ["the merchant's own live key", ownLive],
    ["another merchant's live key", live],
  ] as const) {
    test(`404: ${verb} ${path} with ${whose} returns the same error as for an unknown object`, async () => {
      const unknownId = newId(prefix, shop.clock.now());
      const foreign = await request(key, verb, path.replace(":id", id), body);
      const missing = await request(key, verb, path.replace(":id", unknownId), body);
      assert.equal(foreign.status, 404);
      assert.deepEqual(errorWithoutIds(foreign, id), errorWithoutIds(missing, unknownId));
    });
  }
}

test("400: an upload to another merchant's dispute returns the same error as for an unknown one", async () => {
  const unknownId = newId("dp", shop.clock.now());
  for (const as of [shop.otherMerchant.key, ownLive, live]) {
    const foreign = await uploadEvidence(shop, dispute, { as });
    const missing = await uploadEvidence(shop, unknownId, { as });
    assert.deepEqual(errorOf(foreign).slice(2), ["resource_missing", "dispute_id"]);
    assert.deepEqual(errorWithoutIds(foreign, dispute), errorWithoutIds(missing, unknownId));
  }
});

test("404: the rejected requests above changed nothing", async () => {
  const read = async (path: string) => (await shop.get(path)).body;
  assert.equal((await read(`/charges/${charge}`)).description, null);
  assert.equal((await read(`/checkout_sessions/${checkout.session}`)).status, "open");
  assert.equal((await read(`/webhook_endpoints/${endpoint}`)).status, "enabled");
  assert.equal((await read(`/webhook_deliveries/${delivery}`)).attempts, 0);
  assert.equal((await read(`/customers/${customer}`)).name, "Ada");
  assert.equal((await read(`/disputes/${dispute}/evidence_draft`)).version, 0);
  assert.equal((await read(`/dispute_files?dispute_id=${dispute}`)).data.length, 1);
});

/** Every list of a merchant's objects. */
const lists = [
  "charges",
  "checkout_sessions",
  "refunds",
  "disputes",
  "dispute_files",
  "payouts",
  "reconciliations",
  "reconciliation_differences",
  "balance_transactions",
  "payment_methods",
  "customers",
  "rules",
  "list_entries",
  "saved_views",
  "receipts",
  "decisions",
  "events",
  "webhook_endpoints",
];

for (const list of lists) {
  test(`200: the list of ${list} contains only the objects of its own account and mode`, async () => {
    const ownIds = (await shop.get(`/${list}?limit=100`)).body.data;
    assert.ok(ownIds.length > 0);
    for (const as of [shop.otherMerchant.key, ownLive, live]) {
      assert.deepEqual((await shop.get(`/${list}?limit=100`, { as })).body.data, []);
    }
  });
}

test("200: filters that take no id do not find another merchant's objects", async () => {
  const as = shop.otherMerchant.key;
  for (const query of [
    "checkout_sessions?client_reference_id=order-7",
    `charges?starting_after=${newId("ch", new Date(shop.clock.now().getTime() + 60_000))}`,
  ]) {
    assert.deepEqual((await shop.get(`/${query}`, { as })).body.data, [], query);
  }
});

for (const [list, param, id] of [
  ["charges", "customer_id", customer],
  ["charges", "payment_method_id", method],
  ["charges", "checkout_session_id", checkout.session],
  ["charges.csv", "customer_id", customer],
  ["checkout_sessions", "customer_id", customer],
  ["decisions", "customer_id", customer],
  ["decisions", "payment_method_id", method],
  ["payment_methods", "customer_id", customer],
  ["refunds", "charge_id", charge],
  ["receipts", "charge_id", charge],
  ["disputes", "charge_id", charge],
  ["dispute_files", "dispute_id", dispute],
  ["balance_transactions", "source", charge],
  ["balance_transactions", "source", refund],
  ["balance_transactions", "source", dispute],
  ["balance_transactions.csv", "source", payout],
  ["reconciliation_differences", "reconciliation_id", reconciliation],
] as const) {
  const idPrefix = id.slice(0, id.indexOf("_"));
  test(`400: ${list} by another merchant's ${param} (${idPrefix}) returns the same error as for an unknown one`, async () => {
    const unknownId = newId(idPrefix, shop.clock.now());
    assert.equal((await shop.get(`/${list}?${param}=${id}`)).status, 200);
    for (const as of [shop.otherMerchant.key, ownLive, live]) {
      const foreign = await shop.get(`/${list}?${param}=${id}`, { as });
      const missing = await shop.get(`/${list}?${param}=${unknownId}`, { as });
      assert.deepEqual(errorOf(foreign), [400, "invalid_request_error", "resource_missing", param]);
      assert.deepEqual(errorWithoutIds(foreign, id), errorWithoutIds(missing, unknownId));
    }
  });
}

test("400: a receipt of another merchant's charge returns the same error as for an unknown charge", async () => {
  for (const as of [shop.otherMerchant.key, ownLive, live]) {
    const unknownId = newId("ch", shop.clock.now());
    const foreign = await shop.post("/receipts", toAda, { as });
    const missing = await shop.post("/receipts", { ...toAda, charge_id: unknownId }, { as });
    assert.deepEqual(errorOf(foreign).slice(2), ["resource_missing", "charge_id"]);
    assert.deepEqual(errorWithoutIds(foreign, charge), errorWithoutIds(missing, unknownId));
  }
});

/** One object of each kind that a parameter can name. */
const named: Readonly<Record<string, string>> = {
  ...{ ch: charge, cs: checkout.session, cus: customer, dec: decision, dp: dispute, evt: event },
  ...{ file: disputeFile, pm: method, po: payout, rec: reconciliation, rule },
};

/** A request body for each endpoint with a parameter that names an object. The body omits this parameter. */
const bodies: Readonly<Record<string, object>> = {
  "POST /charges": visa,
  "POST /checkout_sessions": { amount: 1999, currency: "usd" },
  "POST /decisions": visa,
  "POST /disputes/{id}/evidence": {},
  "POST /payment_methods/{id}/attach": {},
  "POST /receipts": { email: "eve@example.com" },
  "POST /refunds": {},
  "POST /rule_trials": {},
  "POST /test_helpers/disputes": {},
};

type IdParameter = {
  readonly verb: string;
  readonly path: string;
  readonly param: string;
  readonly prefix: string;
  readonly isList: boolean;
};

/** Every parameter of the API that names an object, in a query or a body. Its description states the prefix. */
const idParameters: IdParameter[] = Object.entries(shop.document.paths).flatMap(([url, verbs]) =>
  Object.entries(verbs).flatMap(([verb, { parameters, requestBody }]) => {
    const queries = parameters.flatMap((one) =>
      "in" in one && one.in === "query" ? [[one.name, one] as const] : [],
    );
    const body = requestBody?.content["application/json"]?.schema as
      | { properties?: Record<string, { type?: string }> }
      | undefined;
    return [...queries, ...Object.entries(body?.properties ?? {})].flatMap(([param, described]) => {
      const text = JSON.stringify(described);
      const [, prefix] = /Begins with `([a-z]+)_`/.exec(text) ?? [];
      if (prefix === undefined) return [];
      const isList = text.includes('"type":"array"');
      const path = url.replace("/api/v1", "");
      return [{ verb: verb.toUpperCase(), path, param, prefix, isList }];
    });
  }),
);

test("every parameter that names an object is found in the OpenAPI document", () => {
  const found = new Set(idParameters.map(({ verb, path }) => `${verb} ${path}`));
  // An upload has no body in JSON. A test above sends a foreign ID in its query.
  for (const endpoint of [...Object.keys(bodies), "POST /dispute_files", "GET /charges"]) {
    assert.ok(found.has(endpoint), endpoint);
  }
  assert.ok(idParameters.length > 30, `${idParameters.length}`);
});

for (const { verb, path, param, prefix, isList } of idParameters) {
  // Only people can read the audit log. A test below covers it.
  if ((path === "/dispute_files" && verb === "POST") || path === "/audit_log") continue;
  test(`${verb} ${path} with another merchant's ${param} returns the same response as for an unknown ID`, async () => {
    const id = named[prefix];
    assert.ok(id, `Add an object with the prefix ${prefix}_ to this file.`);
    const body = bodies[`${verb} ${path}`];
    assert.ok(verb === "GET" || body, `Add a body for ${verb} ${path} to this file.`);
    const unknownId = newId(prefix, shop.clock.now());
    for (const as of [shop.otherMerchant.key, ownLive]) {
      const at = path.replace("{id}", await ownObjectOf(path, as));
      const send = (value: string): Promise<Reply> =>
        verb === "GET"
          ? request(as, verb, `${at}?${param}=${value}`)
          : request(as, verb, at, { ...body, [param]: isList ? [value] : value });
      const foreign = await send(id);
      const missing = await send(unknownId);
      assert.equal(foreign.status, missing.status, foreign.text);
      if (foreign.status !== 200) {
        assert.deepEqual(errorWithoutIds(foreign, id), errorWithoutIds(missing, unknownId));
      } else {
        assert.equal(foreign.text.replaceAll(id, "…"), missing.text.replaceAll(unknownId, "…"));
      }
      if (as === ownLive || foreign.status === 200) continue;
      assert.equal(foreign.body.error.code, "resource_missing");
      assert.ok(foreign.body.error.param.startsWith(param), foreign.text);
    }
  });
}

/** Returns the caller's own object for the ID in the path, so that only the parameter names a foreign object. */
async function ownObjectOf(path: string, as: SecretKey): Promise<string> {
  const post = async (at: string, body: object) => (await shop.post(at, body, { as })).body.id;
  if (path.startsWith("/webhook_endpoints")) {
    const url = as === ownLive ? "https://hooks.example.com/" : "http://127.0.0.1:9/";
    return post("/webhook_endpoints", { url });
  }
  if (path.startsWith("/payment_methods")) return "pm_card_visa";
  if (!path.startsWith("/disputes")) return "";
  const charge_id = await post("/charges", visa);
  return (await post("/test_helpers/disputes", { charge_id })) ?? newId("dp", shop.clock.now());
}

test("an event is delivered only to endpoints of its merchant and mode", async () => {
  const otherMerchants = await shop.post(
    "/webhook_endpoints",
    { url: "http://127.0.0.1:9/" },
    { as: shop.otherMerchant.key },
  );
  const { id } = (await shop.post("/charges", visa)).body;
  const [{ id: about }] = await shop.events(id);
  const to = await shop.get(`/webhook_endpoints/${otherMerchants.body.id}/deliveries`, {
    as: shop.otherMerchant.key,
  });
  assert.deepEqual(to.body.data, []);
  const own = await shop.get(`/webhook_endpoints/${endpoint}/deliveries?event_id=${about}`);
  assert.equal(own.body.data.length, 1);
});

test("the schema rejects a live key of an account that was never approved", async () => {
  const { account } = await shop.createMerchant();
  await assert.rejects(
    shop.app.database.transaction(
      (tx) => tx`update api_keys set livemode = true where account_id = ${uuidOf(account)}`,
    ),
    /api_keys_live_needs_approval/,
  );
});

test("the schema rejects a live charge at the simulator and a test charge at another acquirer", async () => {
  const { database } = shop.app;
  const assigned = "assignment_id = gen_random_uuid()";
  for (const change of [`livemode = true, ${assigned}`, "processor = 'acme'"]) {
    const client = await database.connect();
    await assert.rejects(
      client.query(`update charges set ${change}`),
      /charges_simulator_in_test_mode_only/,
    );
    await client.end();
  }
});

test("the schema rejects a test charge with an assignment to a live acquirer", async () => {
  const client = await shop.app.database.connect();
  await assert.rejects(
    client.query("update charges set assignment_id = gen_random_uuid()"),
    /charges_assignment_in_live_mode/,
  );
  await client.end();
});

// Endpoints that only people can call, and the objects of the merchant's team.
const { account } = await shop.createMerchant();
const owner = await createPerson(shop, { account });
const eve = await createPerson(shop, { account: shop.otherMerchant.account });
const colleague = await createPerson(shop, { account, role: "developer" });
const { data: team } = (await owner.api("GET", "/members")).body;
const member = team.find(({ person_id }: { person_id: string }) => person_id === colleague.id).id;
const invited = { email: "new@example.com", role: "support" };
const invitation = (await owner.api("POST", "/invitations", invited)).body.id;
const key = (await owner.api("POST", "/api_keys", { name: "Ours" })).body.id;
await uploadDocument(owner, pdf);
const [uploaded] = (await owner.api("GET", "/application")).body.documents;

const peopleEndpoints: typeof objectEndpoints = [
  ["POST", "/members/:id", member, { role: "support" }],
  ["DELETE", "/members/:id", member],
  ["POST", "/invitations/:id/revoke", invitation, {}],
  ["GET", "/api_keys/:id", key],
  ["POST", "/api_keys/:id", key, { name: "Theirs" }],
  ["POST", "/api_keys/:id/roll", key, {}],
  ["POST", "/api_keys/:id/revoke", key, {}],
  ["DELETE", "/application/documents/:id", uploaded?.id],
];

for (const [verb, path, id, body] of peopleEndpoints) {
  test(`404: ${verb} ${path} by a person of another merchant returns the same error as for an unknown object`, async () => {
    assert.ok(id, "the object exists");
    const unknownId = newId(id.slice(0, id.indexOf("_")), shop.clock.now());
    const foreign = await eve.api(verb, path.replace(":id", id), body);
    const missing = await eve.api(verb, path.replace(":id", unknownId), body);
    assert.equal(foreign.status, 404);
    assert.deepEqual(errorWithoutIds(foreign, id), errorWithoutIds(missing, unknownId));
  });
}

test("200: the audit log shows nothing of another merchant's actors and objects", async () => {
  for (const filter of [`actor_id=${key}`, `actor_id=${owner.id}`, `object_id=${key}`]) {
    assert.deepEqual((await eve.api("GET", `/audit_log?${filter}`)).body.data, [], filter);
  }
  assert.equal((await owner.api("GET", `/audit_log?object_id=${key}`)).body.data.length, 1);
});

/** Routes without an object of a merchant in their path: they use the account and mode of their caller. */
const withoutObject: readonly string[] = [
  "GET /account",
  "GET /api_keys",
  "GET /application",
  "GET /audit_log",
  "GET /balance",
  "GET /balance_transactions.csv",
  "GET /charges.csv",
  "GET /charges/count",
  "GET /customers.csv",
  "GET /disputes/count",
  "GET /disputes.csv",
  "GET /events/stream",
  "GET /invitations",
  "GET /members",
  "GET /metrics/approvals",
  "GET /metrics/customers",
  "GET /metrics/payments",
  "GET /notification_preferences",
  "GET /notifications",
  "GET /refunds.csv",
  "GET /request_errors",
  "GET /request_logs",
  "GET /search",
  "GET /settings_copy",
  "DELETE /account/logo",
  "POST /account",
  "POST /account/logo",
  "POST /account/profile",
  "POST /api_keys",
  "POST /application/bank_account",
  "POST /application/business",
  "POST /application/documents",
  "POST /application/people",
  "POST /application/products",
  "POST /application/submit",
  "POST /application/website",
  "POST /charges",
  "POST /notification_preferences",
  "POST /notifications/read",
  "POST /checkout_sessions",
  "POST /customers",
  "POST /decisions",
  "POST /dispute_files",
  "POST /invitations",
  "POST /list_entries",
  "POST /payouts",
  "POST /receipts",
  "POST /reconciliations",
  "POST /refunds",
  "POST /rule_trials",
  "POST /rules",
  "POST /saved_views",
  "POST /settings_copy",
  "POST /team/leave",
  "POST /test_helpers/clock/advance",
  "POST /test_helpers/disputes",
  "POST /webhook_endpoints",
];

test("every route of the API is tested above or has no object of a merchant in its path", () => {
  const tried = [
    ...[...objectEndpoints, ...peopleEndpoints].map(([verb, path]) => `${verb} ${path}`),
    ...lists.map((list) => `GET /${list}`),
    ...withoutObject,
  ];
  const served = shop.app.servedRoutes
    .filter(({ method, url }) => method !== "HEAD" && url.startsWith("/api/v1/"))
    .map(({ method, url }) => `${method} ${url.replace("/api/v1", "")}`);
  assert.ok(served.length > 90);
  assert.deepEqual(tried.toSorted(), served.toSorted());
  for (const route of withoutObject) assert.doesNotMatch(route, /:/);
});
