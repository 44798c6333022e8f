import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { requestLifeMs } from "../../src/insights/request-log/request-log.jobs.ts";
import { findCardsOutsideTheVault } from "../../src/insights/verify/cards.sql.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

async function logs(query = "", as = shop.merchant.key) {
  await shop.app.writeRequestLog();
  return (await shop.get(`/request_logs?limit=100&${query}`, { as })).body.data;
}
const read = async (id: string) => {
  await shop.app.writeRequestLog();
  return (await shop.get(`/request_logs/${id}`)).body;
};
const idOf = ({ headers }: { headers: Headers }) => headers.get("request-id") ?? "";

test("200: a request log is found by id, with its caller, request body and response", async () => {
  const created = await shop.post("/charges", visa, { key: "logged" });
  const seen = await read(idOf(created));
  assert.deepEqual(
    [seen.method, seen.path, seen.endpoint, seen.status, seen.error_code, seen.idempotency_key],
    ["POST", "/api/v1/charges", "POST /charges", 201, null, "logged"],
  );
  assert.deepEqual([seen.actor.type, seen.actor.name, seen.ip], ["api_key", "A key", "127.0.0.1"]);
  assert.deepEqual(JSON.parse(seen.request_body), visa);
  assert.equal(JSON.parse(seen.response_body).id, created.body.id);
  assert.ok(seen.duration_ms >= 0 && seen.duration_ms < 10_000);
});

test("200: all requests about one payment are found by its id", async () => {
  const charge = await shop.post("/charges", visa);
  await shop.get(`/charges/${charge.body.id}`);
  const refund = await shop.post("/refunds", { charge_id: charge.body.id, amount: 500 });
  await shop.get("/charges");
  const found = await logs(`object_id=${charge.body.id}`);
  assert.deepEqual(found.map(({ endpoint }: { endpoint: string }) => endpoint).sort(), [
    "GET /charges/:id",
    "POST /charges",
    "POST /refunds",
  ]);
  const [one] = await logs(`object_id=${refund.body.id}`);
  assert.equal(one.id, idOf(refund));
  assert.deepEqual(await logs(`object_id=${newId("ch", shop.clock.now())}`), []);
  assert.deepEqual(await logs("object_id=nothing"), []);
});

test("200: rejected requests are logged with their error, and errors are grouped by endpoint and code", async () => {
  const { key: as } = await shop.createMerchant();
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" };
  await shop.post("/charges", declined, { as });
  await shop.post("/charges", { ...visa, amount: "much" }, { as });
  await shop.post("/charges", { ...visa, amount: "more" }, { as });
  await shop.post("/charges", "{", { as });
  await shop.get("/charges/ch_1", { as });
  await shop.get("/api_keys", { as });
  await shop.get("/charges", { as });
  const failed = await logs("status=failed", as);
  assert.deepEqual(
    failed
      .map(({ status, error_code }: Record<string, unknown>) => `${status} ${error_code}`)
      .sort(),
    [
      "400 body_invalid_json",
      "400 parameter_invalid_integer",
      "400 parameter_invalid_integer",
      "402 card_declined",
      "403 permission_denied",
      "404 resource_missing",
    ],
  );
  const { data } = (await shop.get("/request_errors", { as })).body;
  const group = data.find((one: { count: number }) => one.count === 2);
  assert.deepEqual(
    [group.endpoint, group.error_code, group.status, group.last_request_id],
    ["POST /charges", "parameter_invalid_integer", 400, group.last_request_id],
  );
  assert.ok(failed.some(({ id }: { id: string }) => id === group.last_request_id));
  assert.equal(data.length, 5);
});

test("200: filters by status, method, path, error, actor and time", async () => {
  const { account, key: as } = await shop.createMerchant();
  const other = await shop.issueKey(account, false);
  await shop.post("/charges", visa, { as });
  await shop.post("/customers", { name: "Ada" }, { as });
  await shop.get("/customers", { as: other.secret });
  await shop.get("/charges/ch_1", { as });
  const count = async (query: string) => (await logs(query, as)).length;
  const later = Math.floor(shop.clock.now().getTime() / 1000) + 60;
  for (const [query, expected] of [
    ["endpoint=POST%20/charges", 1],
    ["path=/api/v1/customers", 2],
    ["path=/api/v1/customers&method=POST", 1],
    ["status=4xx", 1],
    ["status=5xx", 0],
    ["error_code=resource_missing", 1],
    [`actor_id=${other.id}`, 1],
    [`created[gte]=${later}`, 0],
  ] as const) {
    assert.equal(await count(query), expected, query);
  }
});

test("the request log contains no card number, security code or secret that a caller sent", async () => {
  const wrongPlace = { ...visa, description: "card 4242 4242 4242 4242" };
  const typed = { ...visa, card: { number: "4242424242424242", cvc: "123" } };
  const endpoint = await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" });
  const session = await createCheckout(shop, {});
  const ids = [
    idOf(await shop.post("/charges", wrongPlace)),
    idOf(await shop.post("/charges", typed)),
    idOf(await shop.get("/charges?description=4242424242424242")),
    idOf(endpoint),
  ];
  for (const id of ids) {
    assert.doesNotMatch(JSON.stringify(await read(id)), /4242 ?4242|123"/);
  }
  const rows = await shop.app.database.read<{ row: string }>`
    select l::text as row from request_log l
  `;
  const all = JSON.stringify(rows);
  assert.ok(!all.includes(endpoint.body.secret.slice(6)));
  assert.ok(!all.includes(session.secret.slice(8)));
  const { sentences } = await findCardsOutsideTheVault(shop.app.database.read);
  assert.deepEqual(
    sentences.filter((sentence) => sentence.includes("request_log")),
    [],
  );
});

test("200: changes by people are logged with their name, and reads by their pages are not logged", async () => {
  const ada = await createPerson(shop);
  await ada.api("GET", "/charges");
  const created = await ada.api("POST", "/customers", { name: "Grace" });
  await ada.api("GET", "/charges/ch_1");
  const found = await logs(`actor_id=${ada.id}`);
  assert.deepEqual(
    found.map(({ status, actor }: { status: number; actor: object }) => [status, actor]).sort(),
    [201, 404].map((status) => [status, { type: "person", id: ada.id, name: ada.email }]),
  );
  assert.ok(found.some(({ id }: { id: string }) => id === idOf(created)));
});

test("the content of an application is not in the request log", async () => {
  const ada = await createPerson(shop);
  const sent = await ada.api("POST", "/application/business", { secret_plan: "none" });
  const seen = await read(idOf(sent));
  assert.deepEqual([seen.endpoint, seen.request_body], ["POST /application/business", null]);
  assert.equal(seen.response_body, null);
});

test("requests without a caller belong to no account and appear in no log", async () => {
  const before = (await logs("", shop.otherMerchant.key)).length;
  await shop.send("GET", "/api/v1/charges");
  assert.equal((await logs("", shop.otherMerchant.key)).length, before + 1);
});

test("404: a request of another merchant or of the other mode is not found", async () => {
  const id = idOf(await shop.post("/charges", visa));
  await shop.app.writeRequestLog();
  const live = (await shop.issueKey(shop.merchant.account, true)).secret;
  for (const as of [shop.otherMerchant.key, live]) {
    const missing = await shop.get(`/request_logs/${id}`, { as });
    assert.deepEqual(errorOf(missing), [404, "invalid_request_error", "resource_missing", "id"]);
  }
});

test("requests are listed for 30 days and not longer", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/customers", { name: "Ada" }, { as });
  const [{ id }] = await logs("method=POST", as);
  shop.clock.advance(requestLifeMs - minute);
  assert.equal((await logs("method=POST", as)).length, 1);
  assert.equal((await shop.get(`/request_logs/${id}`, { as })).status, 200);
  shop.clock.advance(2 * minute);
  assert.deepEqual(await logs("method=POST", as), []);
  assert.equal((await shop.get(`/request_logs/${id}`, { as })).status, 404);
});
