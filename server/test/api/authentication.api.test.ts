import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidOf } from "../../src/core/ids.ts";
import { newSecretKey } from "../../src/identity/api-keys/key-text.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const { account } = shop.merchant;
const request = (authorization?: string) =>
  shop.send("GET", "/api/v1/account", {
    headers: authorization === undefined ? {} : { authorization },
  });
const rejected = (code: string) => [401, "authentication_error", code];

/** Waits until cached keys and accounts have expired, which takes up to a second. */
const waitForCacheExpiry = () => sleep(1_100);

test("200: a key authenticates its own account and returns its mode", async () => {
  const test = await request(`Bearer ${shop.merchant.key}`);
  assert.deepEqual([test.status, test.body.id, test.body.livemode], [200, account, false]);
  const live = await request(`Bearer ${(await shop.issueKey(account, true)).secret}`);
  assert.deepEqual([live.status, live.body.id, live.body.livemode], [200, account, true]);
});

test("200: accepts the authentication scheme in upper and lower case", async () => {
  assert.equal((await request(`bearer ${shop.merchant.key}`)).status, 200);
});

test("200: every key of an account works", async () => {
  const { secret } = await shop.issueKey(account, false);
  assert.equal((await request(`Bearer ${secret}`)).body.id, account);
});

test("401: the error for a missing header names the header and says how to send it", async () => {
  const reply = await request();
  assert.deepEqual(errorOf(reply), rejected("api_key_missing"));
  assert.match(reply.headers.get("www-authenticate") ?? "", /^Bearer /);
});

for (const header of [
  "",
  "Bearer",
  "Bearer ",
  "Basic c2tfdGVzdA==",
  shop.merchant.key,
  `Token ${shop.merchant.key}`,
  `Bearer ${shop.merchant.key} ${shop.merchant.key}`,
  `Bearer ${shop.merchant.key.slice(0, -1)}`,
  `Bearer ${shop.merchant.key.toLowerCase()}`,
  "Bearer sk_test_abc",
]) {
  test(`401: rejects the malformed header '${header.slice(0, 20)}…' (${header.length} characters)`, async () => {
    assert.deepEqual(errorOf(await request(header)), rejected("api_key_malformed"));
  });
}

test("401: the error distinguishes an unknown key from a mistyped one", async () => {
  assert.deepEqual(
    errorOf(await request(`Bearer ${newSecretKey(false)}`)),
    rejected("api_key_invalid"),
  );
  assert.deepEqual(
    errorOf(await request(`Bearer ${newSecretKey(true)}`)),
    rejected("api_key_invalid"),
  );
});

test("401: the error for a publishable key says that a secret key is required", async () => {
  assert.deepEqual(errorOf(await request("Bearer pk_test_abc")), rejected("secret_key_required"));
});

test("401: a revoked key is rejected within one second, and other keys of the account still work", async () => {
  const { id, secret } = await shop.issueKey(account, false);
  assert.equal((await request(`Bearer ${secret}`)).status, 200);
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set revoked_at = ${shop.clock.now()} where id = ${uuidOf(id)}`,
  );
  await waitForCacheExpiry();
  assert.deepEqual(errorOf(await request(`Bearer ${secret}`)), rejected("api_key_revoked"));
  assert.equal((await request(`Bearer ${shop.merchant.key}`)).status, 200);
});

test("401: rejects a key from its expiry time on", async () => {
  const { id, secret } = await shop.issueKey(account, false);
  const expiry = new Date(shop.clock.now().getTime() + 60_000);
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set expires_at = ${expiry} where id = ${uuidOf(id)}`,
  );
  assert.equal((await request(`Bearer ${secret}`)).status, 200);
  shop.clock.advance(60_000);
  assert.deepEqual(errorOf(await request(`Bearer ${secret}`)), rejected("api_key_expired"));
});

test("401: every endpoint rejects an unauthenticated caller before it checks anything else", async () => {
  const { document } = shop;
  const endpoints = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  assert.ok(endpoints.length >= 20);
  for (const [method, path] of endpoints) {
    const reply = await shop.send(method, path.replace("{id}", "nonsense"), {
      ...(method === "POST" && { body: "{not json" }),
    });
    assert.deepEqual(errorOf(reply), rejected("api_key_missing"), `${method} ${path}`);
  }
});

test("401: rejects a client secret of a session as a key", async () => {
  const { body } = await shop.post("/checkout_sessions", { amount: 100, currency: "usd" });
  const reply = await request(`Bearer ${new URL(body.embed_url).hash.slice(1)}`);
  assert.deepEqual(errorOf(reply), rejected("api_key_malformed"));
});

test("the text of a key is not stored in the database", async () => {
  const rows = await shop.app.database.read<{ row: string }>`select k::text as row from api_keys k`;
  assert.ok(rows.length > 2);
  const secret = shop.merchant.key.slice("sk_test_".length);
  for (const { row } of rows) assert.ok(!row.includes(secret));
});
