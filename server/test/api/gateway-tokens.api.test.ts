import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { newId } from "../../src/core/ids.ts";
import { type AdyenPayment, connectAdyen, type LiveMerchant, pay, startAdyen } from "../adyen.ts";
import { type Browser, createCheckout, createSetup } from "../checkout.ts";
import {
  activateCheckoutCom,
  channel,
  publicKey as checkoutComPublicKey,
  startCheckoutCom,
} from "../checkout-com.ts";
import type { Reply } from "../client.ts";
import { createConnectionClient } from "../connection.ts";
import { startLiveShop } from "../live-shop.ts";
import { createPerson } from "../person.ts";
import { formsInRows, formsOf } from "../secret-forms.ts";
import { errorOf } from "../shop.ts";
import {
  activateStripe,
  startStripe,
  stripeAccount,
  publicKey as stripePublicKey,
} from "../stripe.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";
import { acceptGatewayTokens, createToken, storeGatewayToken } from "../wallet.ts";

/* Tests wallet tokens that only the acquirer can decrypt. Each fake decrypts the tokens that it has created. */
const adyen = await startAdyen();
const stripe = await startStripe();
const checkoutCom = await startCheckoutCom();
const shop = await startLiveShop(
  { adyen, stripe, checkout_com: checkoutCom },
  { walletsHost: "localhost" },
);

/** The merchant accounts of the merchant's two connections to Adyen. */
const [first, next] = ["FieldwareECOM", "FieldwareNext"] as const;
const merchant = await connectAdyen(shop, adyen, { merchantAccount: first, priority: 1 });
await connectAdyen(shop, adyen, { merchant, merchantAccount: next, priority: 2 });
await acceptGatewayTokens(shop, merchant.account);
const { key } = merchant;

const wallets = ["google_pay", "apple_pay"] as const satisfies DigitalWallet[];

type Paying = {
  readonly as?: LiveMerchant & { readonly assignment: string };
  readonly wallet?: DigitalWallet;
  readonly token?: string;
  readonly browser?: Browser;
};

async function store({ as = merchant, wallet = "google_pay", token, browser }: Paying = {}) {
  const session = browser ?? (await createCheckout(shop, {}, as.key));
  const { assignment } = as;
  const sent = token ?? (await createToken(adyen, wallet));
  const stored = await storeGatewayToken(shop, session, { wallet, assignment, token: sent });
  return { browser: session, stored, token: sent };
}

/** Stores a token and confirms the payment. */
async function payWithToken(paying: Paying = {}) {
  const { browser, stored, token } = await store(paying);
  assert.equal(stored.status, 201, stored.text);
  const { payment_method_id } = stored.body;
  const confirmed = await browser.confirm(payment_method_id);
  return { browser, token, method: payment_method_id as string, confirmed };
}

async function chargeIn({ session }: Browser, as = key) {
  const { data } = (await shop.get(`/charges?checkout_session_id=${session}`, { as })).body;
  assert.equal(data.length, 1);
  return data[0];
}

const chargeWith = (id: string, status: string, as = key) =>
  until(
    async () => (await shop.get(`/charges/${id}`, { as })).body,
    (charge) => charge.status === status,
  );

type Payment = AdyenPayment & {
  readonly merchantAccount: string;
  readonly card: { readonly wallet: string };
};
const atAdyen = async (charge: string) =>
  (await adyen.payments(`reference=${charge}`)) as readonly Payment[];

const rejected = (param: string) => [400, "invalid_request_error", "wallet_token_rejected", param];

for (const wallet of wallets) {
  test(`a token of ${wallet} is paid by the acquirer that decrypts it, whose response names the card`, async () => {
    const { browser, stored } = await store({ wallet });
    assert.deepEqual(stored.body.card, { brand: "unknown", last4: null });
    const id = stored.body.payment_method_id;
    const before = (await shop.get(`/payment_methods/${id}`, { as: key })).body.card;
    assert.deepEqual(
      [before.brand, before.last4, before.exp_month, before.exp_year, before.fingerprint],
      ["unknown", null, null, null, null],
    );
    assert.equal((await browser.confirm(id)).body.status, "complete");
    const charge = await chargeIn(browser);
    const { card } = charge.payment_method_details;
    assert.deepEqual(
      [charge.status, card.wallet, card.brand, card.last4, card.fingerprint, card.three_d_secure],
      ["succeeded", wallet, "visa", "1111", null, null],
    );
    const method = (await shop.get(`/payment_methods/${id}`, { as: key })).body;
    assert.deepEqual([method.card.brand, method.card.last4], ["visa", "1111"]);
    const [payment, ...others] = await atAdyen(charge.id);
    assert.deepEqual(
      [payment?.merchantAccount, payment?.card.wallet, payment?.capturedValue, others],
      [first, wallet === "google_pay" ? "googlepay" : "applepay", 1999, []],
    );
    const found = await shop.get("/charges?last4=1111&brand=visa", { as: key });
    assert.ok(found.body.data.some((one: { id: string }) => one.id === charge.id));
    const { data } = (await shop.get("/events?type=payment.succeeded", { as: key })).body;
    const event = data.find(
      (one: { data: { object: { id: string } } }) => one.data.object.id === charge.id,
    );
    assert.equal(event.data.object.payment_method_details.card.last4, "1111");
  });
}

test("a held payment with a token is captured and refunded like one with a card number", async () => {
  const browser = await createCheckout(shop, { capture_method: "manual" }, key);
  await payWithToken({ browser });
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "authorized");
  await shop.post(`/charges/${id}/capture`, { amount: 1500 }, { as: key });
  await chargeWith(id, "succeeded");
  const refund = await shop.post("/refunds", { charge_id: id, amount: 500 }, { as: key });
  assert.equal(refund.status, 201, refund.text);
  const [payment] = await until(
    () => atAdyen(id),
    ([one]) => one?.refundedValue === 500,
  );
  assert.equal(payment?.capturedValue, 1500);
});

test("after a decline the customer can pay with another token", async () => {
  const browser = await createCheckout(shop, {}, key);
  const token = await createToken(adyen, "google_pay", { expMonth: 1, expYear: 2020 });
  const { confirmed } = await payWithToken({ browser, token });
  assert.deepEqual(
    [confirmed.body.status, confirmed.body.last_payment_error.decline_code],
    ["open", "expired_card"],
  );
  assert.equal((await payWithToken({ browser })).confirmed.body.status, "complete");
});

test("a payment whose response is lost stays in processing until the notification, and is sent once", async () => {
  await adyen.control(`PUT accounts/${first}`, { delivery: "held" });
  await adyen.fault("payments", "cut_before_response", { merchantAccount: first });
  const { browser } = await payWithToken();
  const charge = await chargeIn(browser);
  assert.deepEqual([charge.status, charge.pending_reason], ["processing", "outcome_unknown"]);
  assert.equal(charge.payment_method_details.card.last4, null);
  await adyen.control(`POST accounts/${first}/send_held`);
  await adyen.control(`PUT accounts/${first}`, { delivery: "automatic" });
  const paid = await chargeWith(charge.id, "succeeded");
  assert.equal(paid.payment_method_details.card.last4, "1111");
  assert.equal((await atAdyen(charge.id)).length, 1);
});

test("a token that the acquirer cannot decrypt fails the payment, which is not sent again", async () => {
  const known = JSON.parse(await createToken(adyen, "google_pay"));
  const message = { ...JSON.parse(known.signedMessage), encryptedMessage: "AAAA" };
  const token = JSON.stringify({ ...known, signedMessage: JSON.stringify(message) });
  const { browser, confirmed } = await payWithToken({ token });
  assert.equal(confirmed.body.status, "open");
  const charge = await chargeIn(browser);
  assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
  assert.deepEqual(await atAdyen(charge.id), []);
});

test("invalid tokens do not open the circuit breaker of the connection", async () => {
  for (let count = 0; count < 6; count++) {
    const token = JSON.stringify({
      ...JSON.parse(await createToken(adyen, "apple_pay")),
      data: `AAA${count}`,
    });
    await payWithToken({ wallet: "apple_pay", token });
  }
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const [payment] = await atAdyen((await chargeIn(browser)).id);
  assert.equal(payment?.merchantAccount, first);
});

test("a payment that the acquirer does not process is not sent over another connection", async () => {
  await adyen.fault("payments", "too_many_requests", { merchantAccount: first, times: 3 });
  const { browser } = await payWithToken();
  const charge = await chargeIn(browser);
  assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
  assert.deepEqual(await atAdyen(charge.id), []);
  const { entries } = (await shop.get(`/charges/${charge.id}/timeline`, { as: key })).body;
  assert.ok(entries.every(({ type }: { type: string }) => type !== "charge.rerouted"));
});

test("400: a token that was used is rejected in another session, and is the same payment method in its own", async () => {
  const { browser, stored, token } = await store();
  const again = await store({ browser, token });
  assert.equal(again.stored.status, 201);
  assert.equal(again.stored.body.payment_method_id, stored.body.payment_method_id);
  const other = await store({ token });
  assert.deepEqual(errorOf(other.stored), rejected("token"));
  assert.match(other.stored.body.error.message, /used before/);
});

for (const wallet of wallets) {
  test(`400: a copy of a token of ${wallet} that is written differently counts as used`, async () => {
    const { token } = await store({ wallet });
    const copy = JSON.stringify({ ...JSON.parse(token), signature: "MEUC" }, null, 1);
    const { stored } = await store({ wallet, token: copy });
    assert.deepEqual(errorOf(stored), rejected("token"));
    assert.match(stored.body.error.message, /used before/);
  });
}

test("a payment method of a token is charged once, in its own session only", async () => {
  const { browser, method } = await payWithToken();
  assert.equal((await browser.confirm(method)).body.status, "complete");
  assert.equal((await atAdyen((await chargeIn(browser)).id)).length, 1);
  const other = await createCheckout(shop, {}, key);
  const unknown = newId("pm", shop.clock.now());
  assert.deepEqual(errorOf(await other.confirm(method)), errorOf(await other.confirm(unknown)));
  const charge = (payment_method_id: string) =>
    shop.post("/charges", { amount: 500, currency: "usd", payment_method_id }, { as: key });
  assert.deepEqual(errorOf(await charge(method)).slice(2), [
    "payment_method_unexpected_state",
    "payment_method_id",
  ]);
});

test("a token that is no longer in memory, as after a restart, fails the payment and is not sent", async () => {
  const { browser, stored } = await store();
  shop.clock.advance(16 * minute);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  assert.equal(confirmed.body.status, "open");
  const charge = await chargeIn(browser);
  assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
  assert.deepEqual(await atAdyen(charge.id), []);
});

test("400: a session takes at most 20 tokens, like cards", async () => {
  const browser = await createCheckout(shop, {}, key);
  for (let count = 0; count < 20; count++) {
    assert.equal((await store({ browser })).stored.status, 201);
  }
  const { stored } = await store({ browser });
  assert.deepEqual(errorOf(stored).slice(2), ["session_max_cards", "checkout_session_id"]);
});

test("400: a text that is not a token of the wallet is rejected", async () => {
  const known = await createToken(adyen, "google_pay");
  const nested = `{"nested":${"[".repeat(3_000)}${"]".repeat(3_000)},${known.slice(1)}`;
  for (const token of ["tok_1234", "{}", "[]", '{"protocolVersion":"ECv2"}', nested]) {
    assert.deepEqual(errorOf((await store({ token })).stored), rejected("token"), token);
  }
  const apple = await createToken(adyen, "apple_pay");
  const { stored } = await store({ wallet: "google_pay", token: apple });
  assert.deepEqual(errorOf(stored), rejected("token"));
});

test("400: the assignment of another account, an unknown one and one that has ended have the same error", async () => {
  const foreign = await connectAdyen(shop, adyen, { merchantAccount: "FieldwareForeign" });
  await acceptGatewayTokens(shop, foreign.account);
  const ended = await connectAdyen(shop, adyen, { merchantAccount: "FieldwareEnded" });
  await acceptGatewayTokens(shop, ended.account);
  assert.equal((await store({ as: ended })).stored.status, 201);
  // Creates a second assignment, so that the account can still charge cards after the first assignment has ended.
  await connectAdyen(shop, adyen, { merchant: ended, merchantAccount: "FieldwareCurrent" });
  await ended.retire();
  const errors: Reply["body"][] = [];
  for (const as of [
    { ...merchant, assignment: foreign.assignment },
    { ...merchant, assignment: newId("asg", shop.clock.now()) },
    { ...merchant, assignment: "garbage" },
    ended,
  ]) {
    const { stored } = await store({ as });
    assert.deepEqual(errorOf(stored), rejected("assignment"));
    errors.push(stored.body.error.message);
  }
  assert.equal(new Set(errors).size, 1);
});

test("400: a payment fails if the assignment of its token has ended in the meantime", async () => {
  const merchant = await connectAdyen(shop, adyen, { merchantAccount: "FieldwareLeaving" });
  await acceptGatewayTokens(shop, merchant.account);
  const { browser, stored } = await store({ as: merchant });
  await merchant.retire();
  // Creates a second assignment, so that the account can still charge cards.
  await connectAdyen(shop, adyen, { merchant, merchantAccount: "FieldwareStaying" });
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  assert.deepEqual(errorOf(confirmed), rejected("payment_method_id"));
});

test("400: an account that has not enabled the wallet accepts no tokens", async () => {
  const merchant = await connectAdyen(shop, adyen, { merchantAccount: "FieldwareCards" });
  assert.deepEqual(errorOf((await store({ as: merchant })).stored), rejected("assignment"));
});

test("400: a session that only saves a card takes no tokens, because a token can be charged only once", async () => {
  const browser = await createSetup(shop, {}, key);
  assert.deepEqual((await browser.readSession()).body.wallets.filter(isLive), []);
  const { stored } = await store({ browser });
  assert.deepEqual(errorOf(stored).slice(2), ["parameter_invalid", "checkout_session_id"]);
});

const isLive = ({ type }: { readonly type: string }) => type !== "test_wallet";

test("if the payment requires 3-D Secure, a token of Google Pay is declined and one of Apple Pay is paid", async () => {
  const google = await createCheckout(shop, { three_d_secure: "always" }, key);
  const { confirmed } = await payWithToken({ browser: google });
  assert.deepEqual(
    [confirmed.body.status, confirmed.body.last_payment_error.decline_code],
    ["open", "authentication_required"],
  );
  const charge = await chargeIn(google);
  assert.deepEqual(await atAdyen(charge.id), []);
  const apple = await createCheckout(shop, { three_d_secure: "always" }, key);
  const paid = await payWithToken({ browser: apple, wallet: "apple_pay" });
  assert.equal(paid.confirmed.body.status, "complete");
});

/** Assigns a new merchant to a connection. */
async function assign(connection: string, merchantAccount: string) {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection,
    merchant_account: merchantAccount,
    mcc: "5941",
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  await acceptGatewayTokens(shop, account);
  const { secret } = await shop.issueKey(account, true);
  return { account, key: secret, assignment: assigned.body.id as string, connection };
}

type Assigned = Awaited<ReturnType<typeof assign>>;

let atStripe: Assigned;
let atCheckoutCom: Assigned;
before(async () => {
  atStripe = await assign((await activateStripe(shop, stripe)).id, stripeAccount);
  atCheckoutCom = await assign((await activateCheckoutCom(shop, checkoutCom)).id, channel);
});

/** Returns Google Pay as the form of a new session offers it. */
async function offeredGooglePay(as: LiveMerchant["key"], params: object = {}) {
  const { body } = await (await createCheckout(shop, params, as)).readSession();
  return body.wallets.find(({ type }: { readonly type: string }) => type === "google_pay");
}

test("the form offers Google Pay with the assignment and the parameters of the acquirer", async () => {
  for (const [as, parameters] of [
    [merchant, { gateway: "adyen", gatewayMerchantId: first }],
    [
      atStripe,
      {
        gateway: "stripe",
        "stripe:version": "2018-10-31",
        "stripe:publishableKey": stripePublicKey,
      },
    ],
    [atCheckoutCom, { gateway: "checkoutltd", gatewayMerchantId: checkoutComPublicKey }],
  ] as const) {
    const offered = await offeredGooglePay(as.key);
    assert.equal(offered.assignment, as.assignment);
    assert.deepEqual(offered.tokenization, { type: "PAYMENT_GATEWAY", parameters });
    assert.deepEqual(offered.allowed_auth_methods, ["CRYPTOGRAM_3DS"]);
  }
  assert.equal(await offeredGooglePay(key, { three_d_secure: "always" }), undefined);
});

const stripeToken = (more: object = {}) =>
  createToken(stripe, "google_pay", { account: stripeAccount, ...more });

test("a token of Google Pay is paid at Stripe, which has decrypted it", async () => {
  const { browser, confirmed } = await payWithToken({ as: atStripe, token: await stripeToken() });
  assert.equal(confirmed.body.status, "complete", confirmed.text);
  const charge = await chargeIn(browser, atStripe.key);
  const { card } = charge.payment_method_details;
  assert.deepEqual([card.wallet, card.brand, card.last4], ["google_pay", "visa", "1111"]);
  const { wallet, capturedAmount } = await stripe.paymentOf(charge.id);
  assert.deepEqual([wallet, capturedAmount], ["google_pay", 1999]);
});

for (const [which, more] of [
  ["that no wallet created", { wallet: null }],
  ["of another account", { account: "acct_1Foreign" }],
] as const) {
  test(`a token at Stripe ${which} is rejected before a payment is created`, async () => {
    await stripe.control("PUT accounts/acct_1Foreign", {});
    const { browser } = await payWithToken({ as: atStripe, token: await stripeToken(more) });
    const charge = await chargeIn(browser, atStripe.key);
    assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
    assert.deepEqual(await stripe.payments(`reference=${charge.id}`), []);
  });
}

test("a token that cannot be read at Stripe in time fails the payment, which is not created", async () => {
  await stripe.fault("tokens", "cut_before_response", { account: stripeAccount });
  const { browser } = await payWithToken({ as: atStripe, token: await stripeToken() });
  const charge = await chargeIn(browser, atStripe.key);
  assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
  assert.deepEqual(await stripe.payments(`reference=${charge.id}`), []);
});

test("400: Stripe takes no tokens of Apple Pay, and none without a publishable key", async () => {
  const apple = await createToken(adyen, "apple_pay");
  const { stored } = await store({ as: atStripe, wallet: "apple_pay", token: apple });
  assert.deepEqual(errorOf(stored), rejected("assignment"));
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const known = (await connections.read(atStripe.connection)).body;
  assert.deepEqual(known.gateway_wallets, ["google_pay"]);
  const removed = await connections.change("PATCH", known.id, "", { public_key: null });
  assert.deepEqual([removed.status, removed.body.gateway_wallets], [200, []], removed.text);
  const without = await until(
    async () => (await store({ as: atStripe, token: await stripeToken() })).stored,
    ({ status }) => status === 400,
  );
  assert.deepEqual(errorOf(without), rejected("assignment"));
  const restored = await connections.change("PATCH", known.id, "", {
    public_key: known.public_key,
  });
  assert.deepEqual(
    [restored.body.state, restored.body.gateway_wallets],
    ["active", ["google_pay"]],
  );
});

for (const wallet of wallets) {
  test(`a token of ${wallet} is exchanged and paid at Checkout.com`, async () => {
    const token = await createToken(checkoutCom, wallet);
    const { browser, confirmed } = await payWithToken({ as: atCheckoutCom, wallet, token });
    assert.equal(confirmed.body.status, "complete", confirmed.text);
    const charge = await chargeIn(browser, atCheckoutCom.key);
    const { card } = charge.payment_method_details;
    assert.deepEqual([card.wallet, card.brand, card.last4], [wallet, "visa", "1111"]);
    assert.equal((await checkoutCom.paymentOf(charge.id)).approved, true);
  });
}

test("a card on file at Google is not charged at Checkout.com, because its cardholder was not authenticated", async () => {
  const token = await createToken(checkoutCom, "google_pay", { authMethod: "PAN_ONLY" });
  const { browser } = await payWithToken({ as: atCheckoutCom, token });
  const charge = await chargeIn(browser, atCheckoutCom.key);
  assert.deepEqual([charge.status, charge.failure_code], ["failed", "processing_error"]);
  assert.deepEqual(await checkoutCom.payments(`reference=${charge.id}`), []);
});

test("no token is in the database or in the log", async () => {
  const texts: string[] = [];
  for (const wallet of wallets) {
    const { token } = await payWithToken({ wallet });
    const { signature } = JSON.parse(token);
    texts.push(token, signature);
  }
  const inRows = texts.flatMap(formsInRows);
  const client = await shop.app.database.connect();
  const { rows: tables } = await client.query(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  assert.ok(tables.some(({ name }) => name === "vault_cards"));
  for (const { name } of tables) {
    const { rows } = await client.query(`select t::text as text from ${name} t`);
    for (const { text } of rows) {
      for (const form of inRows) assert.ok(!text.includes(form), `${name} contains a token`);
    }
  }
  await client.end();
  const log = JSON.stringify(shop.log);
  for (const form of texts.flatMap(formsOf)) assert.ok(!log.includes(form), "the log has a token");
});
