import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { deleteExpiredKeys } from "../../src/platform/idempotency/idempotency.sql.ts";
import type { Reply } from "../client.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ liveAcquirer: () => connectedAcquirer });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const session = { amount: 1999, currency: "usd" };
const replayed = (reply: Reply) => reply.headers.get("idempotent-replayed");
const inUse = [422, "idempotency_error", "idempotency_key_in_use"];

/** Endpoints that create an object, with a request body for each. */
const creations = [
  ["/charges", visa],
  ["/checkout_sessions", session],
  ["/decisions", visa],
  ["/webhook_endpoints", { url: "http://127.0.0.1:9/hook", status: "disabled" }],
] as const;

const countOf = async (path: string, as = shop.merchant.key) =>
  (await shop.get(`${path}?limit=100`, { as })).body.data.length;

for (const [path, body] of creations) {
  test(`POST ${path} with the same key and body creates one object and returns the same bytes`, async () => {
    const { key: as } = await shop.createMerchant();
    const first = await shop.post(path, body, { as, key: "once" });
    const second = await shop.post(path, body, { as, key: "once" });
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(second.text, first.text);
    assert.deepEqual([replayed(first), replayed(second)], [null, "true"]);
    assert.notEqual(second.headers.get("request-id"), first.headers.get("request-id"));
    assert.equal(await countOf(path, as), 1);
  });

  test(`POST ${path} sent ten times concurrently creates one object, and each response names it`, async () => {
    const { key: as } = await shop.createMerchant();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => shop.post(path, body, { as, key: "ten times" })),
    );
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter((reply) => replayed(reply) === null).length, 1);
    assert.equal(await countOf(path, as), 1);
  });

  test(`POST ${path} without a key creates an object each time`, async () => {
    const { key: as } = await shop.createMerchant();
    await shop.post(path, body, { as });
    await shop.post(path, body, { as });
    assert.equal(await countOf(path, as), 2);
  });
}

test("a replayed charge does not count as another attempt with the card", async () => {
  const { key: as } = await shop.createMerchant();
  const replay = (body: object) => shop.post("/charges", body, { as, key: "many times" });
  const first = await replay(visa);
  for (let times = 0; times < 12; times++) assert.equal((await replay(visa)).text, first.text);
  for (let times = 0; times < 12; times++) {
    assert.deepEqual(errorOf(await replay({ ...visa, amount: 2000 })), inUse);
  }
  const { risk_score, reasons } = (await shop.post("/charges", visa, { as })).body.outcome;
  assert.deepEqual([risk_score, reasons], [first.body.outcome.risk_score, []]);
});

test("the order of fields does not matter to the comparison of bodies", async () => {
  const key = randomUUID();
  const first = await shop.post("/charges", { ...visa, metadata: { a: "1", b: "2" } }, { key });
  const { amount, currency, payment_method_id } = visa;
  const turned = { metadata: { b: "2", a: "1" }, payment_method_id, currency, amount };
  const second = await shop.post("/charges", turned, { key });
  assert.deepEqual([second.text, replayed(second)], [first.text, "true"]);
});

test("422: rejects another body with the same key and charges nothing", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/charges", visa, { as, key: "k" });
  for (const change of [{ amount: 2000 }, { description: "x" }, { currency: "eur" }]) {
    assert.deepEqual(
      errorOf(await shop.post("/charges", { ...visa, ...change }, { as, key: "k" })),
      inUse,
    );
  }
  assert.equal(await countOf("/charges", as), 1);
});

test("422 takes precedence over every error in the other body", async () => {
  const key = randomUUID();
  await shop.post("/charges", visa, { key });
  for (const body of [
    {},
    { ...visa, amount: -1 },
    { ...visa, amount: "x", unknown: true },
    { ...visa, payment_method_id: "pm_nothing" },
    { ...visa, currency: "xxx" },
  ]) {
    assert.deepEqual(errorOf(await shop.post("/charges", body, { key })), inUse);
  }
});

test("422 takes precedence also over a body that is not JSON or not an object", async () => {
  const key = randomUUID();
  await shop.post("/charges", visa, { key });
  const headers = {
    authorization: `Bearer ${shop.merchant.key}`,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  for (const body of ["{", "[]", '{"amount":1,"amount":2}']) {
    const reply = await shop.send("POST", "/api/v1/charges", { headers, body });
    assert.deepEqual(errorOf(reply).slice(0, 3), inUse, body);
  }
});

test("a test helper is executed once per key, returns the same bytes again and rejects a different body", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  const path = "/test_helpers/disputes";
  const body = { charge_id: id, amount: 100 };
  const replies = await Promise.all(
    [1, 2, 3].map(() => shop.post(path, body, { key: "disputed" })),
  );
  assert.deepEqual(
    replies.map(({ status, text }) => [status, text]),
    replies.map(() => [201, replies[0]?.text]),
  );
  assert.equal(replies.filter((reply) => replayed(reply) === null).length, 1);
  const other = await shop.post(path, { ...body, amount: 200 }, { key: "disputed" });
  assert.deepEqual(errorOf(other).slice(0, 3), inUse);
  assert.equal((await shop.get(`/charges/${id}`)).body.amount_disputed, 100);

  // A rejected request was not executed and leaves the key free.
  const dispute = replies[0]?.body.id;
  const close = (outcome: string, key: string) =>
    shop.post(`${path}/${dispute}/close`, { outcome }, { key });
  const won = await close("won", "closed");
  const again = await close("won", "closed");
  assert.deepEqual([won.status, again.status, again.text], [200, 200, won.text]);
  assert.equal((await close("won", "closed again")).status, 400);
  assert.equal((await shop.post("/charges", visa, { key: "closed again" })).status, 201);
});

test("a key held by a dead process is released after one minute and not before", async () => {
  const { account } = shop.merchant;
  const claimed = (key: string, age: string) =>
    shop.app.database.transaction(
      (tx) => tx`
        insert into idempotency_keys (account_id, livemode, key, fingerprint, created_at)
        values (${uuidOf(account)}, false, ${key}, '\\x00', now() - ${age}::interval)`,
    );
  await claimed("died long ago", "61 seconds");
  await claimed("died now", "50 seconds");
  const advance = (key: string) =>
    shop.post("/test_helpers/clock/advance", { seconds: 1 }, { key });
  assert.equal((await advance("died long ago")).status, 200);
  assert.deepEqual(errorOf(await advance("died now")).slice(0, 3), inUse);
});

test("422: a key is bound to its path, for all API keys of the account", async () => {
  const { account, key: as } = await shop.createMerchant();
  const other = (await shop.issueKey(account, false)).secret;
  const first = await shop.post("/charges", visa, { as, key: "k" });
  assert.deepEqual(errorOf(await shop.post("/decisions", visa, { as, key: "k" })), inUse);
  assert.deepEqual(
    errorOf(await shop.post(`/charges/${first.body.id}`, {}, { as: other, key: "k" })),
    inUse,
  );
  const again = await shop.post("/charges", visa, { as: other, key: "k" });
  assert.deepEqual([again.text, replayed(again)], [first.text, "true"]);
});

test("keys of different accounts or modes are independent", async () => {
  const { account, key: as } = await shop.createMerchant({ status: "approved" });
  const live = (await shop.issueKey(account, true)).secret;
  const own = await shop.post("/checkout_sessions", session, { as, key: "k" });
  const otherAccounts = await shop.post("/checkout_sessions", session, {
    as: shop.otherMerchant.key,
    key: "k",
  });
  const inLive = await shop.post("/checkout_sessions", session, { as: live, key: "k" });
  assert.deepEqual([own, otherAccounts, inLive].map(replayed), [null, null, null]);
  assert.equal(new Set([own, otherAccounts, inLive].map(({ body }) => body.session.id)).size, 3);
});

test("a decline is stored: the same 402 is returned, and the card is not charged again", async () => {
  const { key: as } = await shop.createMerchant();
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" };
  const first = await shop.post("/charges", declined, { as, key: "k" });
  const second = await shop.post("/charges", declined, { as, key: "k" });
  assert.deepEqual([first.status, second.status, replayed(second)], [402, 402, "true"]);
  assert.equal(second.text, first.text);
  assert.equal(await countOf("/charges", as), 1);
});

test("a stored response of processing is returned unchanged after the charge has changed", async () => {
  const key = randomUUID();
  const body = { ...visa, amount: 9_004_005 };
  const first = await shop.post("/charges", body, { key });
  assert.equal(first.body.status, "processing");
  await until(
    async () => (await shop.get(`/charges/${first.body.id}`)).body,
    ({ status }) => status === "succeeded",
  );
  const second = await shop.post("/charges", body, { key });
  assert.deepEqual([second.text, replayed(second)], [first.text, "true"]);
});

test("a duplicate waits for the running request and gets its response", async () => {
  const { key: as } = await shop.createMerchant();
  // The simulator takes 150 ms for this amount.
  const slow = { ...visa, amount: 9_004_004 };
  const started = performance.now();
  const [first, ...others] = await Promise.all(
    Array.from({ length: 5 }, () => shop.post("/charges", slow, { as, key: "k" })),
  );
  assert.ok(performance.now() - started >= 145);
  assert.deepEqual([first?.status, first?.body.status], [201, "succeeded"]);
  for (const { text } of others) assert.equal(text, first?.text);
  assert.equal(await countOf("/charges", as), 1);
});

test("422 does not wait for the first request to finish", async () => {
  const key = randomUUID();
  const slow = shop.post("/charges", { ...visa, amount: 9_004_001 }, { key });
  await until(
    () => shop.app.database.read`select 1 from idempotency_keys where key = ${key}`,
    (rows) => rows.length === 1,
  );
  assert.deepEqual(errorOf(await shop.post("/charges", visa, { key })), inUse);
  assert.equal((await slow).body.pending_reason, "outcome_unknown");
});

test("400: a request rejected by validation leaves the key free for the corrected body", async () => {
  const key = randomUUID();
  assert.equal((await shop.post("/charges", { ...visa, amount: 1 }, { key })).status, 400);
  assert.equal(
    (await shop.post("/charges", { ...visa, payment_method_id: "pm_x" }, { key })).status,
    400,
  );
  const created = await shop.post("/charges", visa, { key });
  assert.deepEqual([created.status, replayed(created)], [201, null]);
});

test("401, 404, 405, 413 and 415 leave the key free", async () => {
  const key = randomUUID();
  const headers = { authorization: `Bearer ${shop.merchant.key}`, "idempotency-key": key };
  const path = "/api/v1/charges";
  const send = (method: string, to: string, rest: object) =>
    shop.send(method, to, { headers, ...rest });
  const body = visa;
  const statuses = [
    await send("POST", path, { headers: { ...headers, authorization: "Bearer x" }, body }),
    await send("POST", `${path}/ch_nothing`, { body: {} }),
    await send("PUT", path, { body }),
    await send("POST", path, { body: "x".repeat(70_000) }),
    await send("POST", path, { headers: { ...headers, "content-type": "text/plain" }, body: "{}" }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [401, 404, 405, 413, 415]);
  const created = await shop.post("/charges", visa, { key });
  assert.deepEqual([created.status, replayed(created)], [201, null]);
});

for (const [what, key] of [
  ["empty", ""],
  ["256 characters", "k".repeat(256)],
  ["a tab", "a\tb"],
  ["not ASCII", "kÃ¤se"],
] as const) {
  test(`400: rejects an Idempotency-Key that is ${what} and names the header`, async () => {
    const reply = await shop.post("/charges", visa, { key });
    assert.deepEqual(errorOf(reply), [
      400,
      "invalid_request_error",
      "idempotency_key_invalid",
      "Idempotency-Key",
    ]);
  });
}

test("400: rejects two Idempotency-Key headers and accepts one that contains a comma", async () => {
  const authorization = `Bearer ${shop.merchant.key}`;
  const send = (key: string | string[]) =>
    shop.send("POST", "/api/v1/charges", {
      body: visa,
      headers: { authorization, "idempotency-key": key },
    });
  assert.equal((await send(["one", "two"])).body.error.code, "idempotency_key_invalid");
  assert.equal((await send("one, two")).status, 201);
});

test("accepts a key of 255 printable characters, including quotes and braces", async () => {
  const key = `{"a\\",NULL} ${"~".repeat(243)}`;
  assert.equal(key.length, 255);
  const first = await shop.post("/charges", visa, { key });
  assert.equal(first.status, 201, first.text);
  assert.equal(replayed(await shop.post("/charges", visa, { key })), "true");
});

/** Sets the first use of a key to `interval` ago on the database's clock, which determines the key's age. */
async function backdateKey(key: string, interval: string): Promise<void> {
  await shop.app.database.transaction(
    (tx) => tx`
      update idempotency_keys set created_at = now() - ${interval}::interval where key = ${key}`,
  );
}

test("a key is valid for 24 hours by the database's clock, and is new afterwards", async () => {
  for (const [path, body] of [
    ["/charges", visa],
    ["/checkout_sessions", session],
  ] as const) {
    const key = randomUUID();
    const first = await shop.post(path, body, { key });
    // The service's clock has no effect on the age of a key.
    shop.clock.advance(25 * 60 * 60 * 1000);
    await backdateKey(key, "23 hours 59 minutes");
    assert.equal((await shop.post(path, body, { key })).text, first.text);
    await backdateKey(key, "24 hours 1 second");
    const second = await shop.post(path, { ...body, amount: 777 }, { key });
    assert.deepEqual([second.status, replayed(second)], [201, null]);
    assert.notEqual(second.text, first.text);
    // The key is now bound to the new body.
    assert.deepEqual(errorOf(await shop.post(path, body, { key })), inUse);
  }
});

test("a charge with an expired key counts as an attempt with the card", async () => {
  const { key: as } = await shop.createMerchant();
  const key = randomUUID();
  for (let times = 0; times < 12; times++) {
    assert.equal((await shop.post("/charges", visa, { as, key })).status, 201);
    await backdateKey(key, "25 hours");
  }
  const { reasons } = (await shop.post("/charges", visa, { as })).body.outcome;
  assert.deepEqual(reasons, ["card_velocity"]);
});

test("expired keys are deleted, and newer keys and keys of running requests are kept", async () => {
  const [old, recent, running] = [randomUUID(), randomUUID(), randomUUID()];
  for (const key of [old, recent]) await shop.post("/charges", visa, { key });
  const account = uuidOf(shop.merchant.account);
  await shop.app.database.transaction(
    (tx) => tx`
      insert into idempotency_keys (account_id, livemode, key, fingerprint, charge_id)
      values (${account}, false, ${running}, '\\x00', gen_random_uuid())`,
  );
  await backdateKey(old, "25 hours");
  await backdateKey(running, "25 hours");
  await shop.app.database.transaction((tx) => deleteExpiredKeys(tx, 1_000));
  const left = await shop.app.database.read<{ key: string }>`
    select key from idempotency_keys where key = any(${[old, recent, running]})`;
  assert.deepEqual(left.map(({ key }) => key).sort(), [recent, running].sort());
  // The key stays bound: regardless of its age, a request with another body is rejected.
  assert.deepEqual(errorOf(await shop.post("/charges", visa, { key: running })), inUse);
  await shop.app.database.transaction(
    (tx) => tx`delete from idempotency_keys where key = ${running}`,
  );
});

test("a 5xx is not stored: the same key completes the work once the error is resolved", async () => {
  const key = randomUUID();
  const rename = (from: string, to: string) =>
    shop.app.database
      .transaction((tx) =>
        from === "decisions"
          ? tx`alter table decisions rename to hidden`
          : tx`alter table hidden rename to decisions`,
      )
      .then(() => to);
  await rename("decisions", "hidden");
  const failed = await shop.post("/decisions", visa, { key });
  await rename("hidden", "decisions");
  assert.equal(failed.status, 500);
  const done = await shop.post("/decisions", visa, { key });
  assert.deepEqual([done.status, replayed(done)], [201, null]);
});

test("a charge whose server crashed after the acquirer call is completed once, and its key returns the result", async () => {
  const { key: as } = await shop.createMerchant();
  const { database } = shop.app;
  // The acquirer's response cannot be recorded: six attempts fail, and the request ends with a 5xx.
  await database.transaction((tx) => tx`alter table events rename to hidden`);
  const failed = await shop.post("/charges", visa, { as, key: "k" });
  await database.transaction((tx) => tx`alter table hidden rename to events`);
  assert.equal(failed.status, 500);

  shop.clock.advance(60_000);
  const [retry] = await Promise.all([
    shop.post("/charges", visa, { as, key: "k" }),
    shop.timers.turn(),
  ]);
  assert.deepEqual([retry.status, retry.body.status, replayed(retry)], [201, "succeeded", "true"]);
  assert.equal(await countOf("/charges", as), 1);
  const { body } = await shop.get("/events", { as });
  assert.deepEqual(
    body.data.map(({ type }: { type: string }) => type),
    ["payment.succeeded"],
  );
});
