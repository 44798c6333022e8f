import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Browser, createCheckout, createSetup } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, hour } from "../test-clock.ts";

// `rateLimit` enables the limits on cards. It also limits the requests per second, but no test reaches this value.
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
 * Submits a card until it is accepted, then confirms the payment. A 429 is repeated, because these tests do not cover
 * the limit on the number of cards that one network address can submit per second.
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

test("verifications and payments share the limit on the declines of a card", async () => {
  const { key } = await shop.createMerchant();
  const verify = async () => {
    const browser = await createSetup(shop, {}, key);
    return (await pay(browser, declined)).body.last_payment_error.decline_code;
  };
  for (let times = 0; times < 4; times++) {
    assert.equal(await verify(), "generic_decline");
    assert.equal((await attempt(declined, key)).code, "generic_decline");
  }
  assert.equal(await verify(), "generic_decline", "the form shows a secret reason as a decline");
  const [verification] = await shop.app.database.read<{ code: string; sent: boolean }>`
    select decline_code as code, checks is not null as sent from card_verifications order by id desc limit 1`;
  assert.deepEqual(verification, { code: "card_decline_rate_limit_exceeded", sent: false });
  assert.deepEqual(await attempt(declined, key), rejected);
});

test("a blocked card is not verified, and a rule of the merchant declines a verification", async () => {
  const { key } = await shop.createMerchant();
  const blocked = await pay(await createSetup(shop, {}, key), "4100000000000019");
  assert.equal(blocked.body.status, "open");
  const rule = { expression: "amount == 0", outcome: "decline" };
  const created = await shop.post("/rules", rule, { as: key });
  assert.equal(created.status, 201, created.text);
  const denied = await pay(await createSetup(shop, {}, key), "4242424242424242");
  assert.equal(denied.body.status, "open");
  const rows = await shop.app.database.read<{ outcome: string; sent: boolean }>`
    select decision_outcome as outcome, checks is not null as sent from card_verifications
     order by id desc limit 2`;
  assert.deepEqual(rows, [
    { outcome: "decline", sent: false },
    { outcome: "decline", sent: false },
  ]);
});

test("a session fails after five failed cards", async () => {
  const browser = await createCheckout(shop, {}, (await shop.createMerchant()).key);
  const statuses: string[] = [];
  for (let times = 0; times < 5; times++) {
    statuses.push((await pay(browser, declined)).body.status);
  }
  assert.deepEqual(statuses, ["open", "open", "open", "open", "failed"]);
});

test("429: the card form accepts 60 payments and verifications per hour from one public address, and returns Retry-After", async () => {
  const proxied = await startShop({
    workers: false,
    rateLimit: 10_000,
    trustedProxies: ["127.0.0.1/32"],
  });
  try {
    const confirm = ({ session, secret }: Browser, n: number, payment_method_id: string) =>
      proxied.send("POST", `/embed/api/checkout_sessions/${session}/confirm`, {
        headers: {
          authorization: `Bearer ${secret}`,
          "idempotency-key": `attempt ${n}`,
          "x-forwarded-for": "8.8.8.8",
        },
        body: { payment_method_id },
      });
    const pay = async (n: number) => confirm(await createCheckout(proxied), n, "pm_card_visa");
    const verify = async (n: number) => {
      const browser = await createSetup(proxied);
      return confirm(browser, n, (await browser.type("4242424242424242")).body.payment_method_id);
    };
    for (let n = 1; n <= 59; n++) assert.equal((await pay(n)).status, 200);
    assert.equal((await verify(60)).status, 200);
    for (const rejected of [await pay(61), await verify(62)]) {
      const error = [429, "rate_limit_error", "endpoint_rate_limit_exceeded"];
      assert.deepEqual(errorOf(rejected), error);
      assert.equal(rejected.headers.get("retry-after"), "900");
    }
  } finally {
    await proxied.close();
  }
});
