import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { createCardholder, rightCode, submitToIssuer } from "../cardholder.ts";
import { type Browser, createCheckout, createSetup } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { minute } from "../test-clock.ts";
import { requestToken, storeToken } from "../wallet.ts";

/** The acquirer's responses to verifications wait for this promise. Null if they are sent immediately. */
let held: Promise<void> | null = null;
const shop = await startShop({
  wrapSimulator: (simulator) => ({
    ...simulator,
    async verifyCard(request) {
      assert(simulator.verifyCard);
      const response = await simulator.verifyCard(request);
      await held;
      return response;
    },
  }),
});
after(() => shop.close());

const customer = async () => (await shop.post("/customers", { name: "Ada" })).body.id as string;
const cardsOf = async (id: string) =>
  (await shop.get(`/payment_methods?customer_id=${id}`)).body.data;
const sessionOf = async ({ session }: Browser) =>
  (await shop.get(`/checkout_sessions/${session}`)).body;
const chargeOffSession = (payment_method_id: string) =>
  shop.post("/charges", { amount: 500, currency: "usd", payment_method_id, off_session: true });
const visa = "4242424242424242";
const insufficientFunds = "4000000000009995";
/** A card whose issuer requires 3-D Secure with a challenge. */
const requiresChallenge = "4000002760003184";

test("200: a session of mode setup verifies the card, saves it and charges nothing", async () => {
  const ada = await customer();
  const browser = await createSetup(shop, { customer_id: ada, currency: "eur" });
  const open = (await browser.readSession()).body;
  assert.deepEqual([open.mode, open.amount, open.currency], ["setup", 0, "eur"]);
  const saved = await browser.pay(visa);
  assert.deepEqual(
    [saved.body.mode, saved.body.status, saved.body.payment_status],
    ["setup", "complete", "no_payment_required"],
  );
  const session = await sessionOf(browser);
  const [card] = await cardsOf(ada);
  assert.deepEqual(
    [session.payment_method_id, session.charge_id, session.amount, session.customer_id],
    [card.id, null, 0, ada],
  );
  assert.deepEqual([card.saved_by, card.checkout_session_id], ["setup", browser.session]);
  for (const list of ["charges", "balance_transactions"]) {
    const { body } = await shop.get(`/${list}`);
    assert.deepEqual(body.data, [], list);
  }
});

test("the completion is announced once, with the saved card, and no payment is announced", async () => {
  const browser = await createSetup(shop, { metadata: { plan: "gold" } });
  await browser.pay(visa, "announced");
  await browser.pay(visa, "after the end").catch(() => undefined);
  const events = await shop.events(browser.session);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["checkout_session.completed"],
  );
  const { data, request } = events[0];
  const session = await sessionOf(browser);
  assert.deepEqual({ ...data.object, embed_url: null }, { ...session, embed_url: null });
  assert.equal(data.object.payment_method_id, session.payment_method_id);
  assert.equal(request.idempotency_key, null);
});

test("201: the card is charged off-session with the network transaction ID of the verification", async () => {
  const ada = await customer();
  // The issuer requires authentication for each payment that does not refer to an earlier one.
  const browser = await createSetup(shop, { customer_id: ada });
  const { next_action } = (await browser.pay("4000002500003155")).body;
  const cardholder = createCardholder(shop, next_action.url);
  assert.equal(await cardholder.runUntilAres(), "challenge");
  await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
  await until(
    () => sessionOf(browser),
    ({ status }) => status === "complete",
  );
  const [card] = await cardsOf(ada);
  const { status, body } = await chargeOffSession(card.id);
  assert.deepEqual([status, body.status, body.customer_id], [201, "succeeded", ada]);
});

test("201: without a customer, the session creates one for the card", async () => {
  const browser = await createSetup(shop, { customer_email: "eve@example.com" });
  const { customer_id } = await sessionOf(browser);
  await browser.pay(visa);
  assert.equal((await cardsOf(customer_id)).length, 1);
  assert.equal((await shop.get(`/customers/${customer_id}`)).body.email, "eve@example.com");
});

test("200: a declined card is not saved, and another card of the same session is", async () => {
  const ada = await customer();
  const browser = await createSetup(shop, { customer_id: ada });
  const declined = (await browser.pay(insufficientFunds)).body;
  assert.deepEqual(
    [declined.status, declined.attempts, declined.last_payment_error.decline_code],
    ["open", 1, "insufficient_funds"],
  );
  assert.deepEqual(await cardsOf(ada), []);
  assert.equal((await browser.pay(visa)).body.status, "complete");
  const cards = await cardsOf(ada);
  assert.deepEqual(
    cards.map(({ card }: { card: { last4: string } }) => card.last4),
    ["4242"],
  );
  assert.equal((await sessionOf(browser)).last_payment_error, null);
});

test("a session fails after its last attempt", async () => {
  const browser = await createSetup(shop, { max_attempts: 1 });
  assert.equal((await browser.pay(insufficientFunds)).body.status, "failed");
  assert.equal((await browser.type(visa)).status, 400);
});

for (const [answer, status, code] of [
  [rightCode, "complete", null],
  ["cancel", "open", "authentication_canceled"],
] as const) {
  test(`a card whose issuer requires a challenge: the session is ${status}`, async () => {
    const ada = await customer();
    const browser = await createSetup(shop, { customer_id: ada });
    const confirmed = (await browser.pay(requiresChallenge)).body;
    assert.equal(confirmed.status, "requires_action");
    assert.deepEqual(await cardsOf(ada), []);
    const cardholder = createCardholder(shop, confirmed.next_action.url);
    assert.equal((await cardholder.document()).status, 200);
    assert.equal(await cardholder.runUntilAres(), "challenge");
    const page = await cardholder.openIssuerPage();
    assert.doesNotMatch(page.html, /0\.00/);
    await submitToIssuer(shop, page, answer);
    const session = await until(
      () => sessionOf(browser),
      (one) => one.status !== "requires_action" && one.status !== "processing",
    );
    assert.deepEqual([session.status, session.last_payment_error?.code ?? null], [status, code]);
    assert.equal((await cardsOf(ada)).length, status === "complete" ? 1 : 0);
    assert.equal((await cardholder.step()).body.passed, status === "complete");
  });
}

test("three_d_secure `always` authenticates a card whose issuer does not require it", async () => {
  const browser = await createSetup(shop, { three_d_secure: "always" });
  assert.equal((await browser.pay(visa)).body.status, "requires_action");
});

test("closing the challenge cancels the verification, and the customer can try again", async () => {
  const browser = await createSetup(shop);
  await browser.pay(requiresChallenge);
  const canceled = (await browser.cancelChallenge()).body;
  assert.deepEqual(
    [canceled.status, canceled.last_payment_error.code],
    ["open", "authentication_canceled"],
  );
  assert.equal((await browser.pay(visa)).body.status, "complete");
});

test("a challenge that is not started fails after its deadline", async () => {
  const browser = await createSetup(shop);
  await browser.pay(requiresChallenge);
  shop.clock.advance(16 * minute);
  const session = await until(
    () => sessionOf(browser),
    ({ status }) => status === "open",
  );
  assert.equal(session.last_payment_error.code, "authentication_timed_out");
});

test("a repeated confirmation starts no second verification, and another body is rejected", async () => {
  const browser = await createSetup(shop);
  const first = (await browser.type(insufficientFunds)).body.payment_method_id;
  const second = (await browser.type(visa)).body.payment_method_id;
  await browser.confirm(first, "same key");
  const again = await browser.confirm(first, "same key");
  assert.deepEqual([again.body.status, again.body.attempts], ["open", 1]);
  const other = await browser.confirm(second, "same key");
  assert.deepEqual(errorOf(other).slice(0, 3), [
    422,
    "idempotency_error",
    "idempotency_key_in_use",
  ]);
});

test("of two concurrent confirmations, one verifies its card", async () => {
  const browser = await createSetup(shop);
  const cards = [await browser.type(visa), await browser.type(visa)];
  const replies = await Promise.all(
    cards.map(({ body }, index) => browser.confirm(body.payment_method_id, `tab ${index}`)),
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200],
  );
  const session = await until(
    () => sessionOf(browser),
    ({ status }) => status === "complete",
  );
  assert.equal(session.attempts, 1);
  assert.equal((await cardsOf(session.customer_id)).length, 1);
});

for (const [param, value] of [
  ["amount", 100],
  ["line_items", [{ name: "Mug", quantity: 1, amount: 100 }]],
  ["capture_method", "manual"],
  ["save_payment_method", false],
] as const) {
  test(`400: mode setup rejects \`${param}\``, async () => {
    const body = { mode: "setup", currency: "usd", [param]: value };
    const reply = await shop.post("/checkout_sessions", body);
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_invalid", param]);
  });
}

test("400: rejects an unknown mode, an unknown currency and an unknown customer", async () => {
  for (const [body, param] of [
    [{ mode: "subscription", currency: "usd" }, "mode"],
    [{ mode: "setup", currency: "xyz" }, "currency"],
    [{ mode: "setup" }, "currency"],
    [{ mode: "setup", currency: "usd", customer_id: "cus_unknown" }, "customer_id"],
  ] as const) {
    const reply = await shop.post("/checkout_sessions", body);
    assert.deepEqual([reply.status, errorOf(reply)[3]], [400, param], reply.text);
  }
});

test("400: only a card that was entered in the session can be verified", async () => {
  const ada = await customer();
  const { id } = (await shop.post("/payment_methods/pm_card_visa/attach", { customer_id: ada }))
    .body;
  const browser = await createSetup(shop, { customer_id: ada });
  assert.deepEqual((await browser.readSession()).body.saved_cards, []);
  const other = (await (await createSetup(shop)).type(visa)).body.payment_method_id;
  for (const method of [id, other, "pm_card_visa"]) {
    const reply = await browser.confirm(method);
    assert.deepEqual(errorOf(reply).slice(2), ["resource_missing", "payment_method_id"], method);
  }
  assert.equal((await sessionOf(browser)).attempts, 0);
});

test("a customer who is deleted during the challenge gets no card", async () => {
  const ada = await customer();
  const browser = await createSetup(shop, { customer_id: ada });
  const { next_action } = (await browser.pay(requiresChallenge)).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  assert.equal((await shop.delete(`/customers/${ada}`)).status, 200);
  await submitToIssuer(shop, page, rightCode);
  const session = await until(
    () => sessionOf(browser),
    ({ status }) => status === "open",
  );
  assert.deepEqual(
    [session.last_payment_error.code, session.payment_method_id],
    ["processing_error", null],
  );
});

test("400: an expired session verifies no card", async () => {
  const browser = await createSetup(shop);
  const { payment_method_id } = (await browser.type(visa)).body;
  shop.clock.advance(24 * 60 * minute + 1000);
  const confirmed = await browser.confirm(payment_method_id);
  assert.equal(confirmed.body.status, "expired");
  assert.equal((await sessionOf(browser)).payment_method_id, null);
});

test("a session of mode payment reports its mode and how its card was saved", async () => {
  const ada = await customer();
  const browser = await createCheckout(shop, { customer_id: ada, save_payment_method: true });
  const { payment_method_id } = (await browser.type(visa)).body;
  await browser.confirm(payment_method_id, "pays", true);
  const session = await sessionOf(browser);
  assert.deepEqual([session.mode, session.payment_method_id], ["payment", null]);
  const [card] = await cardsOf(ada);
  assert.deepEqual([card.saved_by, card.checkout_session_id], ["payment", browser.session]);
  const attached = await shop.post("/payment_methods/pm_card_visa/attach", { customer_id: ada });
  assert.deepEqual([attached.body.saved_by, attached.body.checkout_session_id], ["api", null]);
});

for (const [what, faults] of [
  ["lost", { dropAfter: true }],
  ["cut", { reset: true }],
  ["unreadable", { garbage: true }],
  ["never sent", { dropBefore: true }],
] as const) {
  test(`a verification whose response is ${what} fails clearly, and the customer can try again`, async () => {
    const { account, key } = await shop.createMerchant();
    const browser = await createSetup(shop, {}, key);
    shop.simulator.injectFaults({ ...faults, on: ["verify_card"], times: 1 }, account);
    const failed = (await browser.pay(visa)).body;
    assert.deepEqual(
      [failed.status, failed.attempts, failed.last_payment_error.code],
      ["open", 1, "processing_error"],
    );
    const [row] = await shop.app.database.read<{ saved: number }>`
      select count(*)::int as saved from payment_methods
       where account_id = ${uuidOf(account)} and customer_id is not null`;
    assert.equal(row?.saved, 0);
    assert.equal((await browser.pay(visa)).body.status, "complete");
  });
}

test("a verification whose process died before the response fails after its lease, and a late approval saves no card", async () => {
  const { key } = await shop.createMerchant();
  const browser = await createSetup(shop, {}, key);
  const { payment_method_id } = (await browser.type(visa)).body;
  const { promise, resolve: respond } = Promise.withResolvers<void>();
  held = promise;
  const confirmed = browser.confirm(payment_method_id, "slow");
  await until(
    () => browser.readSession(),
    ({ body }) => body.status === "processing",
  );
  // The verification becomes due for another process, as if this process had died.
  shop.clock.advance(minute);
  const session = await until(
    () => browser.readSession(),
    ({ body }) => body.status === "open",
  );
  assert.equal(session.body.last_payment_error.code, "processing_error");
  held = null;
  respond();
  assert.equal((await confirmed).body.status, "open");
  const again = await browser.confirm(payment_method_id, "slow");
  assert.deepEqual([again.body.status, again.body.attempts], ["open", 1]);
});

test("400: an acquirer that verifies no cards rejects the session with a clear error", async () => {
  const unable = await startShop({
    liveAcquirer: () => ({ ...connectedAcquirer, verifyCard: null }),
  });
  try {
    const { account } = await unable.createMerchant({ status: "approved" });
    const { secret: as } = await unable.issueKey(account, true);
    const body = { mode: "setup", currency: "usd" };
    const reply = await unable.post("/checkout_sessions", body, { as });
    assert.deepEqual(errorOf(reply), [
      400,
      "invalid_request_error",
      "card_verification_unsupported",
      "mode",
    ]);
    const payment = await unable.post(
      "/checkout_sessions",
      { amount: 100, currency: "usd" },
      { as },
    );
    assert.equal(payment.status, 201, payment.text);
  } finally {
    await unable.close();
  }
});

test("400: a wallet is not offered and its token is not accepted, because the token cannot be saved", async () => {
  const browser = await createSetup(shop);
  assert.deepEqual((await browser.readSession()).body.wallets, []);
  const token = await requestToken(shop, await createCheckout(shop));
  const reply = await storeToken(shop, browser, token);
  assert.deepEqual(errorOf(reply).slice(2), ["parameter_invalid", "checkout_session_id"]);
});
