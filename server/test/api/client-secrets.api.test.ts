import assert from "node:assert/strict";
import { after, test } from "node:test";
import { keyPermissions, type Permission } from "@florin/contract/permissions.ts";
import { uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { startChallenge } from "../challenge.ts";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const sessionBody = { amount: 777, currency: "usd" };
const clientSecret = /secret_[\w-]{43}/;

/** Creates a key of the merchant with every permission for keys except these. */
async function keyWithout(...without: Permission[]): Promise<SecretKey> {
  const { id, secret } = await shop.issueKey(shop.merchant.account, false);
  const permissions = keyPermissions.filter((one) => !without.includes(one));
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set permissions = ${permissions} where id = ${uuidOf(id)}`,
  );
  return secret;
}

const reader = await keyWithout("payments:write");

test("200: embed_url is shown only while the session can be paid, and to keys with payments:write", async () => {
  const { body } = await shop.post("/checkout_sessions", sessionBody);
  const { id } = body.session;
  assert.match(body.embed_url, clientSecret);
  assert.equal((await shop.get(`/checkout_sessions/${id}`)).body.embed_url, body.embed_url);
  const [listed] = (await shop.get("/checkout_sessions?limit=1")).body.data;
  assert.equal(listed.embed_url, body.embed_url);
});

test("200: a key without payments:write reads no client secret in objects, lists, events, logs or files", async () => {
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const browser = await createCheckout(shop, { customer_id, client_reference_id: "order-1" });
  const declined = await createCheckout(shop, { customer_id });
  await declined.pay("4000000000000002");
  const paid = await createCheckout(shop, { customer_id });
  await paid.pay("4242424242424242");
  const over = await createCheckout(shop, { customer_id });
  await shop.post(`/checkout_sessions/${over.session}/expire`, {});
  const charge = (await shop.get(`/checkout_sessions/${paid.session}`)).body.charge_id;
  const paths = [
    ...[browser, declined, paid, over].map(({ session }) => `/checkout_sessions/${session}`),
    "/checkout_sessions?limit=100",
    `/checkout_sessions?customer_id=${customer_id}`,
    "/checkout_sessions?client_reference_id=order-1",
    "/events?limit=100",
    "/request_logs?limit=100",
    "/charges?limit=100",
    `/charges/${charge}`,
    `/charges/${charge}/timeline`,
    "/webhook_deliveries?limit=100",
  ];
  for (const path of paths) {
    const { status, text } = await shop.get(path, { as: reader });
    assert.ok(status === 200 || status === 404, `${path}: ${text}`);
    assert.doesNotMatch(text, clientSecret, path);
  }
});

test("200: a key without payments:write reads no challenge secret in objects, lists, events, logs or files", async () => {
  const { cardholder, chargeId } = await startChallenge(shop, "4000002760003184");
  const visa = {
    amount: 1999,
    currency: "usd",
    payment_method_id: "pm_card_authenticationRequired",
  };
  const first = await shop.post("/charges", visa, { key: "challenged" });
  const { id, next_action } = first.body;
  assert.equal(first.body.status, "requires_action");
  assert.match(next_action.url, clientSecret);
  const paths = [
    "/charges?limit=100",
    "/charges.csv",
    "/events?limit=100",
    "/request_logs?limit=100",
    ...[id, chargeId].flatMap((one) => [`/charges/${one}`, `/charges/${one}/timeline`]),
  ];
  for (const path of paths) {
    const { status, text } = await shop.get(path, { as: reader });
    assert.equal(status, 200, `${path}: ${text}`);
    assert.doesNotMatch(text, clientSecret, path);
  }
  const shown = (await shop.get(`/charges/${id}`, { as: reader })).body.next_action;
  assert.deepEqual(shown, { ...next_action, url: null });
  // A key that can pay can read the client secret repeatedly, and a replay equals the first response byte for byte.
  assert.deepEqual((await shop.get(`/charges/${id}`)).body.next_action, next_action);
  assert.equal((await shop.post("/charges", visa, { key: "challenged" })).text, first.text);
  await cardholder.cancel();
});

test("no event contains a client secret", async () => {
  const events = await shop.events();
  assert.ok(events.some(({ type }) => type === "checkout_session.completed"));
  assert.ok(events.some(({ type }) => type === "checkout_session.expired"));
  assert.doesNotMatch(JSON.stringify(events), clientSecret);
});

for (const [how, end] of [
  [
    "paid",
    (browser: Awaited<ReturnType<typeof createCheckout>>) => browser.pay("4242424242424242"),
  ],
  [
    "expired",
    ({ session }: { session: string }) => shop.post(`/checkout_sessions/${session}/expire`, {}),
  ],
] as const) {
  test(`200: a session that is ${how} has no embed_url for any key`, async () => {
    const browser = await createCheckout(shop);
    await end(browser);
    const { body } = await shop.get(`/checkout_sessions/${browser.session}`);
    assert.equal(body.embed_url, null);
    const { body: page } = await shop.get("/checkout_sessions?limit=100");
    const listed = page.data.find(({ id }: { id: string }) => id === browser.session);
    assert.equal(listed.embed_url, null);
  });
}

test("403: a stored response is replayed only to keys that have the permission to create", async () => {
  const key = "one session";
  const first = await shop.post("/checkout_sessions", sessionBody, { key });
  assert.match(first.text, clientSecret);
  const again = await shop.post("/checkout_sessions", sessionBody, { key, as: reader });
  assert.deepEqual(errorOf(again), [403, "invalid_request_error", "permission_denied"]);
  assert.doesNotMatch(again.text, clientSecret);
  // Another route that the key may use does not return the secret either.
  const elsewhere = await shop.post("/customers", sessionBody, { key, as: reader });
  assert.equal(elsewhere.status, 422);
  assert.doesNotMatch(elsewhere.text, clientSecret);
});
