import assert from "node:assert/strict";
import { after, test } from "node:test";
import { eventTypes } from "@florin/contract/event.ts";
import { checkOf } from "@florin/contract/violation.ts";
import { maxWebhookEndpoints } from "@florin/contract/webhook-endpoint.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { sampleObjects } from "../../src/webhooks/delivery/sample-event.ts";
import { errorOf, startShop } from "../shop.ts";

// Starts no workers, so nothing is delivered. The tests beside the delivery code cover sending and signing.
const shop = await startShop({ workers: false });
after(() => shop.close());

const hook = "http://127.0.0.1:9/hook";
const create = async (params = {}) =>
  (await shop.post("/webhook_endpoints", { url: hook, ...params })).body;
const path = (id: string) => `/webhook_endpoints/${id}`;
const missing = [404, "invalid_request_error", "resource_missing", "id"];
const nothing = "we_01jb0000000000000000000000";
const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

test("create: 201 returns the signing secret, which no other response contains", async () => {
  const { status, body } = await shop.post("/webhook_endpoints", {
    url: "https://shop.example/hook",
    enabled_events: ["payment.succeeded", "payment_failed"],
    description: "Orders",
    metadata: { team: "shop" },
  });
  assert.equal(status, 201);
  const { secret, ...endpoint } = body;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(endpoint.status, "enabled");
  const read = await shop.get(path(endpoint.id));
  const { data } = (await shop.get("/webhook_endpoints?limit=1")).body;
  assert.deepEqual([read.body, data[0]], [endpoint, endpoint]);
});

test("create: 400 for more than 100 endpoints of a mode, even if they are created at the same time", async () => {
  const { key: as } = await shop.createMerchant();
  const replies = await Promise.all(
    Array.from({ length: maxWebhookEndpoints + 3 }, () =>
      shop.post("/webhook_endpoints", { url: hook }, { as }),
    ),
  );
  const rejected = replies.filter(({ status }) => status !== 201);
  assert.equal(rejected.length, 3);
  for (const reply of rejected) {
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_invalid", "url"]);
  }
});

test("create: 201 for all events by default", async () => {
  assert.deepEqual((await create()).enabled_events, ["*"]);
});

for (const [what, params, code, param] of [
  ["a missing URL", { url: undefined }, "parameter_missing", "url"],
  ["a URL that is not http", { url: "ftp://shop.example" }, "url_invalid", "url"],
  ["a URL with credentials", { url: "https://a:b@shop.example" }, "url_invalid", "url"],
  ["an empty list of events", { enabled_events: [] }, "parameter_invalid_empty", "enabled_events"],
  [
    "an unknown event",
    { enabled_events: ["payment.failed"] },
    "parameter_invalid",
    "enabled_events[0]",
  ],
  ["an unknown status", { status: "paused" }, "parameter_invalid", "status"],
  ["a secret chosen by the caller", { secret: "whsec_x" }, "parameter_unknown", "secret"],
] as const) {
  test(`create: 400 for ${what}`, async () => {
    const reply = await shop.post("/webhook_endpoints", { url: hook, ...params });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
  });
}

test("create: 400 in live mode for a private URL, and for one that is not https", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  for (const url of [
    hook,
    "https://127.0.0.1/hook",
    "https://10.0.0.1/",
    "https://[::1]/",
    "http://shop.example/",
  ]) {
    const reply = await shop.post("/webhook_endpoints", { url }, { as: secret });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "url_invalid", "url"], url);
  }
});

test("update: 200 changes the fields sent and keeps the others", async () => {
  const { secret: _, ...before } = await create({
    description: "mine",
    metadata: { a: "1", b: "2" },
  });
  const change = { status: "disabled", enabled_events: ["ping"], metadata: { a: null, c: "3" } };
  const { status, body } = await shop.post(path(before.id), change);
  const changed = { ...before, ...change, metadata: { b: "2", c: "3" }, version: 2 };
  assert.deepEqual([status, body], [200, changed]);
  assert.deepEqual((await shop.get(path(before.id))).body, changed);
});

test("update: 400 when the metadata would exceed its limit", async () => {
  const pairs = (from: number) =>
    Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`k${from + index}`, "v"]));
  const { id } = await create({ metadata: pairs(0) });
  const reply = await shop.post(path(id), { metadata: pairs(26) });
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "metadata_invalid", "metadata"]);
});

test("delete: 200, and the endpoint is no longer found", async () => {
  const { id } = await create();
  const { status, body } = await shop.delete(path(id));
  assert.deepEqual([status, body], [200, { id, object: "webhook_endpoint", deleted: true }]);
  assert.deepEqual(errorOf(await shop.get(path(id))), missing);
  assert.deepEqual(errorOf(await shop.delete(path(id))), missing);
});

test("roll_secret: 200 with a new secret", async () => {
  const { id, secret } = await create();
  const { status, body } = await shop.post(`${path(id)}/roll_secret`, { expires_in: 0 });
  assert.equal(status, 200);
  assert.match(body.secret, /^whsec_/);
  assert.notEqual(body.secret, secret);
  assert.equal((await shop.post(`${path(id)}/roll_secret`)).status, 200);
});

test("roll_secret: 400 for an overlap of more than a week", async () => {
  const { id } = await create();
  for (const expires_in of [-1, 604_801]) {
    const reply = await shop.post(`${path(id)}/roll_secret`, { expires_in });
    assert.deepEqual(errorOf(reply), [
      400,
      "invalid_request_error",
      "parameter_invalid",
      "expires_in",
    ]);
  }
});

test("ping: 201 creates an event that is delivered to this endpoint only", async () => {
  const [one, other] = [await create({ enabled_events: ["payment_failed"] }), await create()];
  const { status, body } = await shop.post(`${path(one.id)}/ping`, {});
  assert.deepEqual([status, body.type, body.data.object.id], [201, "ping", one.id]);
  const to = async (id: string) =>
    (await shop.get(`${path(id)}/deliveries?event_id=${body.id}`)).body.data.length;
  assert.deepEqual([await to(one.id), await to(other.id)], [1, 0]);
});

for (const type of eventTypes.filter((one) => one !== "ping")) {
  test(`sample_event: 201 sends an example of ${type} to this endpoint only, marked as a sample`, async () => {
    const [one, other] = [await create({ enabled_events: ["payment_failed"] }), await create()];
    const { status, body } = await shop.post(`${path(one.id)}/sample_event`, { type });
    assert.deepEqual([status, body.type, body.sample, body.livemode], [201, type, true, false]);
    const violation = checkOf(sampleObjects[type][0])(body.data.object);
    assert.deepEqual([violation, body.data.object.livemode], [null, false]);
    const { data } = (await shop.get(`${path(one.id)}/deliveries?event_id=${body.id}`)).body;
    assert.deepEqual([data.length, data[0]?.event_type], [1, type]);
    const elsewhere = await shop.get(`${path(other.id)}/deliveries?event_id=${body.id}`);
    assert.deepEqual(elsewhere.body.data, []);
  });
}

test("sample_event: 400 in live mode", async () => {
  const { account } = await shop.createMerchant();
  const { secret: as } = await shop.issueKey(account, true);
  const url = "https://shop.example/hook";
  const { id } = (await shop.post("/webhook_endpoints", { url }, { as })).body;
  const rejected = await shop.post(`${path(id)}/sample_event`, { type: "payout.paid" }, { as });
  assert.deepEqual([rejected.status, rejected.body.error.code], [400, "livemode_mismatch"]);
});

test("deliveries: 200, one for each subscribed event, with the bytes that are sent", async () => {
  const { id } = await create({ enabled_events: ["payment.succeeded"] });
  const disabled = await create({ status: "disabled" });
  await shop.post("/charges", { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" });
  const charge = (await shop.post("/charges", visa)).body;
  const { data } = (await shop.get(`${path(id)}/deliveries`)).body;
  const [event] = await shop.events(charge.id);
  assert.equal(data.length, 1);
  const [delivery] = data;
  assert.deepEqual(
    [delivery.event_id, delivery.event_type, delivery.status, delivery.attempts, delivery.url],
    [event.id, "payment.succeeded", "pending", 0, hook],
  );
  assert.deepEqual(JSON.parse(delivery.request_body), event);
  assert.deepEqual((await shop.get(`/webhook_deliveries/${delivery.id}`)).body, delivery);
  assert.deepEqual((await shop.get(`${path(disabled.id)}/deliveries`)).body.data, []);
});

test("deliveries: 200, filtered by status and event, in pages", async () => {
  const { id } = await create({ enabled_events: ["payment.succeeded"] });
  for (let count = 0; count < 3; count++) await shop.post("/charges", visa);
  const list = async (query: string) => (await shop.get(`${path(id)}/deliveries?${query}`)).body;
  const all = (await list("status=pending")).data;
  assert.equal(all.length, 3);
  assert.deepEqual((await list("status=succeeded")).data, []);
  assert.deepEqual((await list(`event_id=${all[1].event_id}`)).data, [all[1]]);
  const page = await list("limit=2");
  const rest = await list(`limit=2&starting_after=${page.data[1].id}`);
  assert.deepEqual([...page.data, ...rest.data], all);
});

const rejection = {
  at: 1767225600,
  duration_ms: 12,
  status_code: null,
  failure: {
    code: "connection_refused",
    message:
      "127.0.0.1:9 refused the connection. Check that your server is running and listens on this port.",
  },
  response: null,
};

test("resend: 200, and a failed delivery is due again with its full retry schedule", async () => {
  const { id } = await create({ enabled_events: ["payment.succeeded"] });
  await shop.post("/charges", visa);
  const [delivery] = (await shop.get(`${path(id)}/deliveries`)).body.data;
  await shop.app.database.transaction(
    (tx) =>
      tx`update webhook_deliveries
            set status = 'given_up', next_attempt_at = null, attempts = 10, log = ${JSON.stringify([rejection])}`,
  );
  assert.equal((await shop.get(`/webhook_deliveries/${delivery.id}`)).body.next_attempt_at, null);
  const { status, body } = await shop.post(`/webhook_deliveries/${delivery.id}/resend`, {});
  assert.deepEqual([status, body.status, body.attempts], [200, "pending", 1]);
  assert.equal(typeof body.next_attempt_at, "number");
});

test("resend: 200, and a delivery that waits for its next attempt is due immediately", async () => {
  const { id } = await create({ enabled_events: ["payment.succeeded"] });
  await shop.post("/charges", visa);
  const [delivery] = (await shop.get(`${path(id)}/deliveries`)).body.data;
  const inAnHour = new Date(Date.now() + 3_600_000);
  await shop.app.database.transaction(
    (tx) =>
      tx`update webhook_deliveries set claimed_by = null, next_attempt_at = ${inAnHour}, attempts = 5
            where status = 'pending'`,
  );
  const { body } = await shop.post(`/webhook_deliveries/${delivery.id}/resend`, {});
  assert.equal(body.status, "pending");
  assert(body.next_attempt_at <= shop.clock.now().getTime() / 1000 + 1, body.next_attempt_at);
});

test("resend since: 200 for failed deliveries and for events that occurred while the endpoint was disabled", async () => {
  const { key } = await shop.createMerchant();
  const as = { as: key };
  const { id } = (await shop.post("/webhook_endpoints", { url: hook }, as)).body;
  const charge = async () => (await shop.post("/charges", visa, as)).body.id;
  const charges = [await charge(), await charge()];
  await shop.app.database.transaction(
    (tx) =>
      tx`update webhook_deliveries set status = 'given_up', next_attempt_at = null, attempts = 10
          where endpoint_id = ${uuidOf(id)}`,
  );
  shop.clock.advance(60_000);
  const since = Math.floor(shop.clock.now().getTime() / 1000);
  await shop.post(path(id), { status: "disabled" }, as);
  charges.push(await charge());
  const never = await shop.post(`${path(id)}/resend`, { since: 253_402_300_800 }, as);
  assert.deepEqual(errorOf(never).slice(0, 4), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "since",
  ]);
  const off = await shop.post(`${path(id)}/resend`, { since: 0 }, as);
  assert.deepEqual(errorOf(off), [400, "invalid_request_error", "status_transition_invalid"]);

  await shop.post(path(id), { status: "enabled" }, as);
  const resend = async (from: number) =>
    (await shop.post(`${path(id)}/resend`, { since: from }, as)).body;
  assert.deepEqual([(await resend(since)).resent, (await resend(since)).resent], [1, 0]);
  const { resent, has_more } = await resend(0);
  assert.deepEqual([resent, has_more], [2, false]);
  const { data } = (await shop.get(`${path(id)}/deliveries?status=pending`, as)).body;
  const about = data.map(
    (one: { request_body: string }) => JSON.parse(one.request_body).data.object.id,
  );
  assert.deepEqual(about.toReversed(), charges);
});

test("deliveries: 400 for a malformed event id and for an unknown event", async () => {
  const { id } = await create();
  for (const event of ["garbage", "evt_01jb0000000000000000000000"]) {
    const reply = await shop.get(`${path(id)}/deliveries?event_id=${event}`);
    assert.deepEqual(errorOf(reply), [
      400,
      "invalid_request_error",
      "resource_missing",
      "event_id",
    ]);
  }
});

test("the secret is not stored in clear text, and a replay returns the same bytes", async () => {
  const created = await shop.post("/webhook_endpoints", { url: hook }, { key: "make" });
  const rolled = await shop.post(`${path(created.body.id)}/roll_secret`, {}, { key: "roll" });
  const again = await shop.post("/webhook_endpoints", { url: hook }, { key: "make" });
  const rolledAgain = await shop.post(`${path(created.body.id)}/roll_secret`, {}, { key: "roll" });
  assert.deepEqual([again.text, rolledAgain.text], [created.text, rolled.text]);
  const stored = await shop.app.database.read<{ text: string }>`
    select response as text from idempotency_keys
     union all select w::text from webhook_endpoints w`;
  for (const { text } of stored) {
    for (const secret of [created.body.secret, rolled.body.secret]) {
      assert.ok(!String(text).includes(secret.slice("whsec_".length)));
    }
  }
});

test("list: 200, newest first, in pages without gaps", async () => {
  const { key } = await shop.createMerchant();
  const created: string[] = [];
  for (let count = 0; count < 3; count++) {
    created.unshift((await shop.post("/webhook_endpoints", { url: hook }, { as: key })).body.id);
    shop.clock.advance(1_000);
  }
  const page = (await shop.get("/webhook_endpoints?limit=2", { as: key })).body;
  const rest = (await shop.get(`/webhook_endpoints?starting_after=${created[1]}`, { as: key }))
    .body;
  const ids = [...page.data, ...rest.data].map(({ id }: { id: string }) => id);
  assert.deepEqual([ids, page.has_more, rest.has_more], [created, true, false]);
});

test("404: every operation on an unknown endpoint or delivery is rejected", async () => {
  for (const id of [nothing, "we_1", "ch_01jb0000000000000000000000"]) {
    for (const reply of [
      await shop.get(path(id)),
      await shop.post(path(id), {}),
      await shop.delete(path(id)),
      await shop.post(`${path(id)}/roll_secret`, {}),
      await shop.post(`${path(id)}/ping`, {}),
      await shop.get(`${path(id)}/deliveries`),
      await shop.post(`${path(id)}/resend`, { since: 0 }),
      await shop.get(`/webhook_deliveries/${id}`),
      await shop.post(`/webhook_deliveries/${id}/resend`, {}),
    ]) {
      assert.deepEqual(errorOf(reply), missing);
    }
  }
});
