import assert from "node:assert/strict";
import { after, mock, type TestContext, test } from "node:test";
import { createCheckout, typed } from "../checkout.ts";
import { errorOf, type Shop, startShop } from "../shop.ts";

/** Requests per second. A test can exceed it, but creating a merchant does not. */
const limit = 20;
const shop = await startShop({ rateLimit: limit });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** Stops the clock of the rate limits, so that tokens are refilled only when the test advances it. */
function stopClock(t: TestContext) {
  let now = performance.now();
  const stopped = mock.method(performance, "now", () => now);
  t.after(() => stopped.mock.restore());
  return {
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

/** Sends requests until one is rejected. Returns that response. */
async function exhaust(service: Shop, as: Shop["merchant"]["key"]) {
  for (let count = 0; count < 10 * limit; count++) {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => service.get("/account", { as })),
    );
    const rejection = replies.find(({ status }) => status === 429);
    if (rejection) return rejection;
  }
  assert.fail("It was never rejected");
}

test("200: every response contains the remaining requests of the current second", async () => {
  const { key } = await shop.createMerchant();
  const { headers } = await shop.get("/account", { as: key });
  assert.equal(headers.get("ratelimit-limit"), String(limit));
  assert.equal(headers.get("ratelimit-remaining"), String(limit - 1));
  assert.match(headers.get("ratelimit-reset") ?? "", /^[0-9]+$/);
});

test("429: excess requests are rejected with Retry-After, and succeed after that time", async (t) => {
  const time = stopClock(t);
  const { key } = await shop.createMerchant();
  const rejection = await exhaust(shop, key);
  assert.deepEqual(errorOf(rejection), [429, "rate_limit_error", "rate_limit_exceeded"]);
  assert.equal(rejection.headers.get("ratelimit-remaining"), "0");
  const wait = Number(rejection.headers.get("retry-after"));
  assert.ok(wait >= 1);
  time.pass(wait);
  assert.equal((await shop.get("/account", { as: key })).status, 200);
});

test("429: all keys of one account and mode share a limit", async (t) => {
  stopClock(t);
  const { account, key } = await shop.createMerchant();
  const second = await shop.issueKey(account, false);
  const live = await shop.issueKey(account, true);
  await exhaust(shop, key);
  assert.equal((await shop.get("/account", { as: second.secret })).status, 429);
  assert.equal((await shop.get("/account", { as: live.secret })).status, 200);
  assert.equal((await shop.get("/account", { as: shop.otherMerchant.key })).status, 200);
});

test("429: a rejected charge is not created, and its Idempotency-Key stays free", async (t) => {
  const time = stopClock(t);
  const { key } = await shop.createMerchant();
  await exhaust(shop, key);
  const rejected = await shop.post("/charges", visa, { as: key, key: "after the limit" });
  assert.equal(rejected.status, 429);
  time.pass(1);
  const created = await shop.post("/charges", visa, { as: key, key: "after the limit" });
  assert.deepEqual([created.status, created.headers.get("idempotent-replayed")], [201, null]);
  assert.equal((await shop.get("/charges", { as: key })).body.data.length, 1);
});

test("429: requests without a key do not count against any account", async (t) => {
  stopClock(t);
  const { key } = await shop.createMerchant();
  for (let count = 0; count < 2 * limit; count++) {
    assert.equal((await shop.send("GET", "/api/v1/account")).status, 401);
  }
  const { headers } = await shop.get("/account", { as: key });
  assert.equal(headers.get("ratelimit-remaining"), String(limit - 1));
});

test("429: one network address cannot try many cards quickly", async (t) => {
  stopClock(t);
  const browser = await createCheckout(shop, {});
  const replies = await Promise.all(
    Array.from({ length: 40 }, () =>
      shop.send("POST", "/vault/cards", {
        headers: { authorization: `Bearer ${browser.secret}` },
        body: { checkout_session_id: browser.session, ...typed("4242424242424242") },
      }),
    ),
  );
  const rejected = replies.filter(({ status }) => status === 429);
  // The limit is ten requests per second, and the stopped clock refills no tokens.
  assert.equal(rejected.length, 30);
  assert.ok(rejected.every(({ body }) => body.error.type === "rate_limit_error"));
});
