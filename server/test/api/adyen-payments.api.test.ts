import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import { createCardholder } from "../cardholder.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "../connection.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";

const merchantAccount = "FieldwareECOM";
const fake = await startAdyenFake({ accounts: [{ merchantAccount, apiKey, hmacKey }] });
after(() => fake.close());
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { adyen: fake.url },
  inRealTime: true,
});
after(() => shop.close());

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const reason = "Agreed with the merchant.";

async function control<Body>(command: string, body?: object): Promise<Body> {
  const [method = "", path = ""] = command.split(" ");
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(`${fake.url}/control/${path}`, { method, body: text });
  assert.equal(response.status, 200, command);
  return (await response.json()) as Body;
}

/** Sets the connection up as an operator does. Returns the live key of a merchant that is assigned to it. */
async function connectMerchant(): Promise<`sk_live_${string}`> {
  const { id, webhook_url } = (await connections.create(sandboxAdyen)).body;
  await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
  const tested = await connections.change("POST", id, "test");
  assert.equal(tested.body.state, "tested", tested.text);
  await control(`PUT accounts/${merchantAccount}`, { webhookUrl: webhook_url });
  await connections.notify(id);
  const active = await connections.change("POST", id, "activate");
  assert.equal(active.status, 200, active.text);
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: id,
    merchant_account: merchantAccount,
    mcc: "5941",
    reason,
  });
  assert.equal(assigned.status, 201, assigned.text);
  return (await shop.issueKey(account, true)).secret as `sk_live_${string}`;
}

const key = await connectMerchant();
const card = "4111111111111111";

async function checkout(params: object = {}): Promise<Browser> {
  return createCheckout(shop, params, key);
}

/** Types the card with the security code that the fake accepts, and pays. */
async function pay(browser: Browser, number = card): Promise<string> {
  const stored = await browser.type(number, { cvc: "737" });
  assert.equal(stored.status, 201, stored.text);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  assert.equal(confirmed.status, 200, confirmed.text);
  return confirmed.text;
}

const chargeOf = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;

type Payment = {
  reference: string;
  state: string;
  amount: { value: number; currency: string };
  capturedValue: number;
  releasedValue: number;
  refundedValue: number;
};

/** Returns the payments in the ledger of the fake. */
const paymentsAt = async (reference: string) =>
  (await control<{ payments: Payment[] }>(`GET payments?reference=${reference}`)).payments;

/** Returns the only payment of the charge in the ledger of the fake. */
async function paymentAt(reference: string): Promise<Payment> {
  const [payment, ...others] = await paymentsAt(reference);
  assert(payment);
  assert.deepEqual(others, []);
  return payment;
}

/** Pays in a new session, and waits until its charge has this status. */
async function payUntil(status: string, params: object = {}, number = card) {
  const browser = await checkout(params);
  await pay(browser, number);
  const { id } = await chargeIn(browser);
  return until(
    () => chargeOf(id),
    (charge) => charge.status === status,
  );
}

/** Returns the latest charge of the session. */
async function chargeIn({ session }: Browser) {
  const { data } = (await shop.get("/charges?limit=20", { as: key })).body;
  const charge = data.find(
    ({ checkout_session_id }: { checkout_session_id: string }) => checkout_session_id === session,
  );
  assert(charge);
  return charge;
}

async function refundUntil(status: string, body: object) {
  const refund = await shop.post("/refunds", body, { as: key });
  assert.equal(refund.status, 201, refund.text);
  return until(
    async () => (await shop.get(`/refunds/${refund.body.id}`, { as: key })).body,
    (read) => read.status === status,
  );
}

const fault = (endpoint: string, kind: string, more: object = {}) =>
  control("POST faults", { endpoint, fault: kind, ...more });

test("a live session is paid at Adyen, and the notification of a refund completes it", async () => {
  const charge = await payUntil("succeeded");
  assert.deepEqual([charge.livemode, charge.amount], [true, 1999]);
  await refundUntil("succeeded", { charge_id: charge.id, amount: 500 });
  assert.equal((await chargeOf(charge.id)).amount_refunded, 500);
  const { amount, capturedValue, refundedValue } = await paymentAt(charge.id);
  assert.deepEqual(amount, { currency: "USD", value: 1999 });
  assert.deepEqual([capturedValue, refundedValue], [1999, 500]);
});

test("a held payment is captured in part, and the notification completes the capture", async () => {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  assert.equal((await paymentAt(id)).capturedValue, 0);
  await shop.post(`/charges/${id}/capture`, { amount: 1500 }, { as: key });
  const charge = await until(
    () => chargeOf(id),
    ({ status }) => status === "succeeded",
  );
  assert.equal(charge.amount_captured, 1500);
  assert.equal((await paymentAt(id)).capturedValue, 1500);
});

test("a held payment is canceled, and the notification completes the cancellation", async () => {
  const { id } = await payUntil("authorized", { capture_method: "manual" });
  await shop.post(`/charges/${id}/cancel`, {}, { as: key });
  await until(
    () => chargeOf(id),
    ({ status }) => status === "canceled",
  );
  const { capturedValue, releasedValue } = await paymentAt(id);
  assert.deepEqual([capturedValue, releasedValue], [0, 1999]);
});

test("a wrong security code is declined, and the charge shows the failed check", async () => {
  const browser = await checkout();
  const stored = await browser.type(card, { cvc: "111" });
  await browser.confirm(stored.body.payment_method_id);
  const charge = await chargeIn(browser);
  // Adyen refuses it without naming the reason.
  const { cvc_check } = charge.payment_method_details.card.checks;
  assert.deepEqual([charge.status, cvc_check], ["failed", "fail"]);
});

test("a cardholder authenticates on the page of Adyen, and the payment succeeds", async () => {
  const browser = await checkout({ three_d_secure: "always" });
  await pay(browser);
  const session = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, session.next_action.url);
  assert.equal((await cardholder.begin()).body.step, "authenticate");
  assert.equal((await cardholder.authenticate()).body.step, "challenge");
  const { url, method } = (await cardholder.challenge()).body;
  assert.equal(method, "GET");
  const page = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ outcome: "authenticate" }),
    redirect: "manual",
  });
  const back = page.headers.get("location") as string;
  assert.equal((await fetch(back)).status, 200);
  assert.equal((await cardholder.step()).body.passed, true);
  const charge = await chargeIn(browser);
  assert.equal(charge.status, "succeeded");
  assert.equal((await fetch(back)).status, 200, "a second return changes nothing");
  assert.equal((await paymentAt(charge.id)).capturedValue, 1999);
});

test("a cardholder who fails to authenticate is declined and charged nothing", async () => {
  const browser = await checkout({ three_d_secure: "always" });
  await pay(browser);
  const { next_action } = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.begin();
  await cardholder.authenticate();
  const { url } = (await cardholder.challenge()).body;
  const body = new URLSearchParams({ outcome: "fail" });
  const page = await fetch(url, { method: "POST", body, redirect: "manual" });
  await fetch(page.headers.get("location") as string);
  const charge = await chargeIn(browser);
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "authentication_failed"]);
  assert.equal((await paymentAt(charge.id)).capturedValue, 0);
});

for (const lost of ["cut_before_response", "cut_in_body", "html_502"]) {
  test(`an approval whose response is lost (${lost}) is found by its notification`, async () => {
    await fault("payments", lost);
    const { id } = await payUntil("succeeded");
    assert.equal((await paymentAt(id)).capturedValue, 1999);
  });

  test(`a refund whose response is lost (${lost}) is paid once`, async () => {
    const { id } = await payUntil("succeeded");
    await fault("refunds", lost);
    await refundUntil("succeeded", { charge_id: id, amount: 700 });
    assert.equal((await paymentAt(id)).refundedValue, 700);
  });
}

for (const temporary of ["too_many_requests", "transient_error"]) {
  test(`a payment that Adyen did not process (${temporary}) is sent again and charged once`, async () => {
    await fault("payments", temporary);
    const { id } = await payUntil("succeeded");
    assert.equal((await paymentAt(id)).capturedValue, 1999);
  });
}

for (const kind of ["duplicate_notification", "early_notification", "forged_notification"]) {
  test(`a refund with a ${kind.replace("_", " ")} is recorded once`, async () => {
    const { id } = await payUntil("succeeded");
    await fault("refunds", kind);
    await refundUntil("succeeded", { charge_id: id, amount: 300 });
    assert.equal((await chargeOf(id)).amount_refunded, 300);
    assert.equal((await paymentAt(id)).refundedValue, 300);
  });
}

test("a refund that fails after its success is credited back", async () => {
  const { id } = await payUntil("succeeded");
  await fault("refunds", "late_refund_failure", { delayMs: 1 });
  const refund = await refundUntil("failed", { charge_id: id, amount: 400 });
  assert.equal(refund.status, "failed");
  assert.equal((await chargeOf(id)).amount_refunded, 0);
  assert.equal((await paymentAt(id)).refundedValue, 0);
});

test("without a response and without a notification the payment is canceled by its reference", async () => {
  await fault("payments", "cut_before_response", { processed: false });
  const browser = await checkout();
  await pay(browser);
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "processing");
  shop.clock.advance(16 * minute);
  await until(
    () => chargeOf(id),
    (charge) => charge.pending_reason === "acquirer_processing" || charge.status === "failed",
  );
  assert.deepEqual(await paymentsAt(id), []);
});

test("an approval without a response and without a notification is canceled, and the charge fails", async () => {
  await fault("payments", "cut_before_response");
  await fault("payments", "lost_notification");
  const browser = await checkout();
  await pay(browser);
  const { id } = await chargeIn(browser);
  shop.clock.advance(16 * minute);
  const charge = await until(
    () => chargeOf(id),
    ({ status }) => status === "failed",
  );
  assert.equal(charge.amount_captured, 0);
  const { capturedValue, refundedValue } = await paymentAt(id);
  assert.equal(capturedValue - refundedValue, 0);
});
