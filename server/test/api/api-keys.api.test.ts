import assert from "node:assert/strict";
import { after, test } from "node:test";
import { keyPermissions } from "@florin/contract/permissions.ts";
import { newId } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());
const ada = await createPerson(shop);

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const makeKey = async (params: object = {}) =>
  (await ada.api("POST", "/api_keys", { name: "Web server", ...params })).body;
const status = async (secret: SecretKey) => (await shop.get("/charges", { as: secret })).status;
/** Waits until a revoked key is rejected, which takes up to a second. */
const untilRejected = (secret: SecretKey) =>
  until(
    () => status(secret),
    (seen) => seen === 401,
    1_200,
  );

test("201: a new key is shown once and has every permission that keys can have", async () => {
  const created = await ada.api("POST", "/api_keys", { name: "Web server" });
  assert.equal(created.status, 201);
  const { secret, ...key } = created.body;
  assert.match(secret, /^sk_test_/);
  assert.equal(secret.slice(-4), key.last4);
  assert.deepEqual(
    [key.name, key.beginning, key.permissions, key.status, key.created_by],
    ["Web server", "sk_test_", null, "active", ada.id],
  );
  assert.equal((await shop.post("/charges", visa, { as: secret })).status, 201);
  assert.deepEqual((await ada.api("GET", `/api_keys/${key.id}`)).body, key);
  const { data } = (await ada.api("GET", "/api_keys")).body;
  assert.deepEqual(data[0], key);
  assert.doesNotMatch(JSON.stringify(data), /sk_test_[0-9A-Za-z]{30}/);
});

test("201: a repeated Idempotency-Key returns the same key, and the database never stores its plaintext", async () => {
  const headers = {
    "florin-account": shop.merchant.account,
    "florin-mode": "test",
    "idempotency-key": "one key",
  };
  const make = () => ada.send("POST", "/api/v1/api_keys", { name: "Once" }, headers);
  const first = await make();
  const second = await make();
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.equal(second.text, first.text);
  const [stored] = await shop.app.database.read<{ response: string }>`
    select response from idempotency_keys where key = 'one key'
  `;
  assert.ok(stored?.response.includes(first.body.id));
  assert.ok(!stored?.response.includes(first.body.secret));
});

test("403: a restricted key can use only its permissions, and the error names the missing one", async () => {
  const { secret, beginning } = await makeKey({ permissions: ["payments:read", "refunds:write"] });
  assert.equal(beginning, "rk_test_");
  assert.equal(secret.slice(0, 8), "rk_test_");
  assert.equal((await shop.get("/charges", { as: secret })).status, 200);
  const rejected = await shop.post("/charges", visa, { as: secret });
  assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "permission_denied"]);
  assert.match(rejected.body.error.message, /'payments:write'/);
  const stream = await shop.get("/events/stream", { as: secret });
  assert.deepEqual(errorOf(stream), [403, "invalid_request_error", "permission_denied"]);
});

test("403: a key cannot create keys, manage the team or apply for live mode", async () => {
  for (const path of ["/api_keys", "/audit_log"]) {
    const rejected = await shop.get(path);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "permission_denied"], path);
  }
  assert.ok(!keyPermissions.some((permission) => /^(keys|team|application):/.test(permission)));
});

test("400: rejects a key without permissions and a key with permissions reserved for people", async () => {
  for (const permissions of [["keys:write"], ["everything"], []]) {
    const rejected = await ada.api("POST", "/api_keys", { name: "Bad", permissions });
    assert.equal(rejected.status, 400, JSON.stringify(permissions));
  }
});

test("200: a rolled key works until its overlap ends, and the new key works immediately", async () => {
  const old = await makeKey({ permissions: ["payments:read"] });
  const rolled = await ada.api("POST", `/api_keys/${old.id}/roll`, { expires_in: 60 });
  assert.equal(rolled.status, 201);
  assert.notEqual(rolled.body.id, old.id);
  assert.deepEqual(rolled.body.permissions, old.permissions);
  assert.equal(await status(rolled.body.secret), 200);
  assert.equal(await status(old.secret), 200);
  const { expires_at } = (await ada.api("GET", `/api_keys/${old.id}`)).body;
  const secondsLeft = expires_at - shop.clock.now().getTime() / 1000;
  assert(secondsLeft > 50 && secondsLeft <= 60, `${secondsLeft} s are left`);

  const again = await ada.api("POST", `/api_keys/${rolled.body.id}/roll`, { expires_in: 0 });
  assert.equal(again.status, 201);
  await untilRejected(rolled.body.secret);
  assert.equal(await status(again.body.secret), 200);
});

test("401: the server that revokes a key rejects the key's next request, even if the key was just used", async () => {
  const { id, secret } = await makeKey();
  assert.equal(await status(secret), 200);
  await ada.api("POST", `/api_keys/${id}/revoke`, {});
  assert.equal(await status(secret), 401);
});

test("401: a revoked key is rejected within one second and stays rejected", async () => {
  const { id, secret } = await makeKey();
  assert.equal(await status(secret), 200);
  const revoked = await ada.api("POST", `/api_keys/${id}/revoke`, {});
  assert.deepEqual([revoked.status, revoked.body.status], [200, "revoked"]);
  await untilRejected(secret);
  for (const operation of ["revoke", "roll"]) {
    const rejected = await ada.api("POST", `/api_keys/${id}/${operation}`, {});
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "status_transition_invalid",
      "id",
    ]);
  }
  const { data } = (await ada.api("GET", "/api_keys?status=revoked")).body;
  assert.ok(data.some((key: { id: string }) => key.id === id));
});

test("200: renames a key", async () => {
  const { id } = await makeKey();
  const renamed = await ada.api("POST", `/api_keys/${id}`, { name: "Old server" });
  assert.deepEqual([renamed.status, renamed.body.name], [200, "Old server"]);
});

test("200: last_used_at is recorded, but not written on every request", async () => {
  const { id, secret, last_used_at } = await makeKey();
  assert.equal(last_used_at, null);
  const seconds = () => Math.floor(shop.clock.now().getTime() / 1000);
  const from = seconds();
  await shop.get("/account", { as: secret });
  const to = seconds();
  await shop.app.writeKeyUses();
  const used = (await ada.api("GET", `/api_keys/${id}`)).body.last_used_at;
  assert.ok(from <= used && used <= to, `${used} is not from ${from} to ${to}`);
});

test("400: rejects a live key for an account that is not approved, for every role of the caller", async () => {
  const person = await createPerson(shop, { secondFactor: true });
  const rejected = await person.api("POST", "/api_keys", { name: "Live" }, true);
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "account_not_approved"]);

  const { account } = await shop.createMerchant({ status: "approved" });
  const owner = await createPerson(shop, { account, secondFactor: true });
  const created = await owner.api("POST", "/api_keys", { name: "Live" }, true);
  assert.match(created.body.secret, /^sk_live_/);
});

test("404: keys of another account or of the other mode are not found", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const owner = await createPerson(shop, { account, secondFactor: true });
  const { id } = await makeKey();
  const { body: live } = await owner.api("POST", "/api_keys", { name: "Live" }, true);
  for (const key of [id, live.id, newId("key", shop.clock.now()), "key_1"]) {
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["POST", "", { name: "Mine" }],
      ["POST", "/roll", {}],
      ["POST", "/revoke", {}],
    ] as const) {
      const missing = await owner.api(method, `/api_keys/${key}${path}`, body);
      assert.deepEqual(errorOf(missing), [404, "invalid_request_error", "resource_missing", "id"]);
    }
  }
});

for (const role of ["support", "analyst"] as const) {
  test(`403: the role ${role} can neither read nor create keys`, async () => {
    const person = await createPerson(shop, { role });
    const denied = [403, "invalid_request_error", "permission_denied"];
    assert.deepEqual(errorOf(await person.api("GET", "/api_keys")), denied);
    assert.deepEqual(errorOf(await person.api("POST", "/api_keys", { name: "Mine" })), denied);
    assert.equal((await person.api("GET", "/charges")).status, 200);
  });
}

test("403: creating a key requires a recent step-up", async () => {
  const person = await createPerson(shop);
  shop.clock.advance(11 * 60_000);
  const stale = await person.api("POST", "/api_keys", { name: "Later" });
  assert.deepEqual(errorOf(stale), [403, "invalid_request_error", "step_up_required"]);
  assert.equal((await person.api("GET", "/api_keys")).status, 200);
});

test("200: the audit log records who created, rolled and revoked a key, and contains no secret", async () => {
  const person = await createPerson(shop);
  const { body: key } = await person.api("POST", "/api_keys", { name: "Audited" });
  const { body: next } = await person.api("POST", `/api_keys/${key.id}/roll`, {});
  await person.api("POST", `/api_keys/${next.id}/revoke`, {});
  const { data } = (await person.api("GET", `/audit_log?actor_id=${person.id}`)).body;
  assert.deepEqual(
    data.map(({ action, object_id, actor, livemode }: Record<string, unknown>) => [
      action,
      object_id,
      actor,
      livemode,
    ]),
    [
      ["api_key.revoked", next.id],
      ["api_key.rolled", key.id],
      ["api_key.created", key.id],
    ].map((entry) => [...entry, { type: "person", id: person.id, name: person.email }, false]),
  );
  for (const secret of [key.secret, next.secret]) {
    assert.ok(!JSON.stringify(data).includes(secret.slice(8, -4)));
  }
});
