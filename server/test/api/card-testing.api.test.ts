import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Browser, createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, hour } from "../test-clock.ts";

// Enables the limits on cards. The option also enables the limits on requests, which no test reaches at this value.
const shop = await startShop({ workers: false, rateLimit: 10_000 });
after(() => shop.close());

/** Pays once in a new session. Returns the charge's status, decline code and network status. */
async function attempt(number: string, as = shop.merchant.key) {
  const browser = await createCheckout(shop, {}, as);
  await pay(browser, number);
  const session = (await shop.get(`/checkout_sessions/${browser.session}`, { as })).body;
  const charge = (await shop.get(`/charges/${session.charge_id}`, { as })).body;
  return { status: charge.status, code: charge.decline_code, sent: charge.outcome.network_status };
}

/**
 * Submits a card until it is accepted, then confirms the payment. The limit on cards per network address and second is
 * not tested here.
 */
async function pay(browser: Browser, number: string) {
  const stored = await until(
    () => browser.type(number),
    ({ status }) => status !== 429,
  );
  return browser.confirm(stored.body.payment_method_id);
}

const declined = "4000000000000002";
const rejected = {
  status: "failed",
  code: "card_decline_rate_limit_exceeded",
  sent: "not_sent_to_network",
};

test("402: after 8 declines of a card in a day no request is sent to the issuer for the rest of the day", async () => {
  const { key } = await shop.createMerchant();
  for (let times = 0; times < 8; times++) {
    assert.equal((await attempt(declined, key)).code, "generic_decline");
  }
  assert.deepEqual(await attempt(declined, key), rejected);
  assert.deepEqual(
    await attempt(declined, key),
    rejected,
    "an attempt that is not sent to the issuer does not count as a decline",
  );
  const { key: other } = await shop.createMerchant();
  assert.equal(
    (await attempt(declined, other)).code,
    "generic_decline",
    "each merchant has its own limit",
  );
  assert.equal(
    (await attempt("4000000000009995", key)).code,
    "insufficient_funds",
    "each card has its own limit",
  );
  shop.clock.advance(day);
  for (let times = 0; times < 6; times++) {
    assert.equal((await attempt(declined, key)).code, "generic_decline");
  }
  assert.deepEqual(
    await attempt(declined, key),
    rejected,
    "at most 14 declines are sent to the issuer in 30 days",
  );
  shop.clock.advance(30 * day);
  assert.equal((await attempt(declined, key)).code, "generic_decline");
});

test("402: a card declined as do-not-retry is blocked for 24 hours with the same error", async () => {
  const { key } = await shop.createMerchant();
  const first = await attempt("4000000000009987", key);
  assert.deepEqual(first, { status: "failed", code: "lost_card", sent: "declined_by_network" });
  const second = await attempt("4000000000009987", key);
  assert.deepEqual(second, { ...first, sent: "not_sent_to_network" });
  shop.clock.advance(25 * hour);
  assert.deepEqual(await attempt("4000000000009987", key), first);
});

test("402: a fixed test name can be declined without a daily limit", async () => {
  const charge = { amount: 500, currency: "usd", payment_method_id: "pm_card_chargeDeclined" };
  for (let times = 0; times < 12; times++) {
    const { body } = await shop.post("/charges", charge);
    assert.equal(body.error.decline_code, "generic_decline");
  }
});

test("a session fails after five failed cards", async () => {
  const browser = await createCheckout(shop, {}, (await shop.createMerchant()).key);
  const statuses: string[] = [];
  for (let times = 0; times < 5; times++) {
    statuses.push((await pay(browser, declined)).body.status);
  }
  assert.deepEqual(statuses, ["open", "open", "open", "open", "failed"]);
});

test("429: the card form accepts 60 payments per hour from one public address, and returns Retry-After", async () => {
  const proxied = await startShop({
    workers: false,
    rateLimit: 10_000,
    trustedProxies: ["127.0.0.1/32"],
  });
  try {
    const pay = async (n: number) => {
      const { session, secret } = await createCheckout(proxied);
      return proxied.send("POST", `/embed/api/checkout_sessions/${session}/confirm`, {
        headers: {
          authorization: `Bearer ${secret}`,
          "idempotency-key": `attempt ${n}`,
          "x-forwarded-for": "8.8.8.8",
        },
        body: { payment_method_id: "pm_card_visa" },
      });
    };
    for (let n = 1; n <= 60; n++) assert.equal((await pay(n)).status, 200);
    const rejected = await pay(61);
    assert.deepEqual(errorOf(rejected), [429, "rate_limit_error", "endpoint_rate_limit_exceeded"]);
    assert.equal(rejected.headers.get("retry-after"), "900");
  } finally {
    await proxied.close();
  }
});
