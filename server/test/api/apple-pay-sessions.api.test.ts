import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { type Browser, createCheckout } from "../checkout.ts";
import { startLiveWallets } from "../live-wallets.ts";
import { errorOf } from "../shop.ts";
import { until } from "../until.ts";
import { domain, merchantId } from "../wallet-operator.ts";

const live = await startLiveWallets();
after(() => live.close());
const { shop, wallets, meters, merchant, other, client, checkout, startSession } = live;
await client.save(merchant.account, "apple_pay");
await client.activateCertifiedKey(merchant.account, "payment_processing");
await client.activateCertifiedKey(merchant.account, "merchant_identity");

test("a merchant session is requested with the merchant's certificate, and returned unchanged", async () => {
  const session = { epochTimestamp: 1, nonce: "2d18eab4", signature: "308006", nested: { a: [1] } };
  wallets.respondWith(() => ({ body: JSON.stringify(session) }));
  const { status, body, text } = await startSession(await checkout());
  assert.equal(status, 200, text);
  assert.deepEqual(body, { merchant_session: session });
  assert.deepEqual(wallets.requests.at(-1), {
    host: "apple-pay-gateway-cert.apple.com",
    path: "/paymentservices/startSession",
    client: `Apple Pay merchant_identity:${merchantId}`,
    body: {
      merchantIdentifier: merchantId,
      displayName: "Fieldware",
      initiative: "web",
      initiativeContext: domain,
    },
  });
});

test("400: a merchant session for another domain, server or account is not requested", async () => {
  const count = wallets.requests.length;
  const codeOf = async (body: object, browser?: Browser) =>
    errorOf(await startSession(browser ?? (await checkout()), body)).slice(2);
  assert.deepEqual(await codeOf({ domain: "evil.example" }), ["parameter_invalid", "domain"]);
  for (const url of [
    "https://evil.example/paymentservices/startSession",
    "https://127.0.0.1/paymentservices/startSession",
    "http://apple-pay-gateway.apple.com/paymentservices/startSession",
  ]) {
    assert.deepEqual(await codeOf({ validation_url: url }), [
      "parameter_invalid",
      "validation_url",
    ]);
  }
  assert.deepEqual(await codeOf({}, await checkout(other.key)), ["parameter_invalid", "id"]);
  const testMode = await createCheckout(shop);
  assert.deepEqual(await codeOf({}, testMode), ["parameter_invalid", "id"]);
  const stranger = await startSession({ ...(await checkout()), secret: testMode.secret });
  assert.equal(stranger.status, 404);
  assert.equal(wallets.requests.length, count);
});

/** Returns the number of failed requests for merchant sessions in the metrics. */
async function failedSessions(): Promise<number> {
  const metric = meters.registry.getSingleMetric("florin_apple_pay_sessions_total");
  const found = (await metric?.get())?.values.find(({ labels }) => labels.outcome === "failed");
  return found?.value ?? Number.NaN;
}

for (const [problem, answer] of [
  ["an error", { status: 417 }],
  ["a redirect", { status: 302, headers: { location: "https://evil.example/" } }],
  ["text that is not an object", { body: "[1]" }],
  ["more than 64 KiB", { body: JSON.stringify({ a: "x".repeat(65 * 1024) }) }],
] as const) {
  test(`400: ${problem} of Apple's server is rejected, logged as a warning and counted`, async () => {
    const count = wallets.requests.length;
    const failures = await failedSessions();
    const lines = shop.log.length;
    wallets.respondWith(() => answer);
    const reply = await startSession(await checkout());
    assert.deepEqual(errorOf(reply).slice(0, 3), [
      400,
      "invalid_request_error",
      "wallet_session_failed",
    ]);
    assert.equal(wallets.requests.length, count + 1);
    assert.equal(await failedSessions(), failures + 1);
    const logged = shop.log.slice(lines).filter(({ level }) => Number(level) > 30);
    assert.deepEqual(
      logged.map(({ level, account, msg }) => [level, account, msg]),
      [[40, merchant.account, "apple pay: Apple returned no merchant session"]],
    );
    wallets.respondWith(() => ({}));
  });
}

test("429: a session requests at most five merchant sessions in a burst", async () => {
  const browser = await checkout();
  // Stops the clock that refills the token bucket.
  const stopped = performance.now();
  const clock = mock.method(performance, "now", () => stopped);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) statuses.push((await startSession(browser)).status);
  clock.mock.restore();
  assert.deepEqual(statuses.slice(0, 5), [200, 200, 200, 200, 200]);
  assert.equal(statuses[5], 429);
});

test("429: at most ten merchant sessions of an account wait for Apple", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  wallets.respondWith(() => ({ after: released }));
  const count = wallets.requests.length;
  const browsers = await Promise.all(Array.from({ length: 11 }, () => checkout()));
  const waiting = browsers.slice(0, 10).map((browser) => startSession(browser));
  await until(
    async () => wallets.requests.length,
    (length) => length === count + 10,
  );
  const reply = await startSession(browsers[10] as Browser);
  assert.deepEqual(errorOf(reply).slice(0, 3), [429, "rate_limit_error", "rate_limit_exceeded"]);
  assert.equal(wallets.requests.length, count + 10);
  release();
  assert.ok((await Promise.all(waiting)).every(({ status }) => status === 200));
  wallets.respondWith(() => ({}));
  assert.equal((await startSession(browsers[10] as Browser)).status, 200);
});

test("429: one merchant session of a checkout session waits for Apple at a time", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  wallets.respondWith(() => ({ after: released }));
  const count = wallets.requests.length;
  const browser = await checkout();
  const waiting = startSession(browser);
  await until(
    async () => wallets.requests.length,
    (length) => length === count + 1,
  );
  const second = await startSession(browser);
  assert.deepEqual(errorOf(second).slice(0, 3), [429, "rate_limit_error", "rate_limit_exceeded"]);
  release();
  assert.equal((await waiting).status, 200);
  wallets.respondWith(() => ({}));
  assert.equal((await startSession(browser)).status, 200);
  assert.equal(wallets.requests.length, count + 2);
});
