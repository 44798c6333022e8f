import assert from "node:assert/strict";
import { test } from "node:test";
import { createCardholder } from "../cardholder.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import {
  approvedCard,
  channel,
  client,
  connectCheckoutCom,
  sandboxCheckoutCom,
  secretKey,
  startCheckoutComShop,
  webhookSecret,
} from "../checkout-com.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { hour, minute, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";
import { payWithWallet } from "../wallet.ts";

const { checkoutCom, shop } = await startCheckoutComShop();
await checkoutCom.control("POST clock", { advanceMs: skipEndOfDay(shop.clock) });
const { key } = await connectCheckoutCom(shop, checkoutCom);

const get = async (path: string) => (await shop.get(path, { as: key })).body;
const statusIs =
  (...statuses: readonly string[]) =>
  ({ status }: { readonly status: string }) =>
    statuses.includes(status);

/** Types the card, confirms the session and returns its charge. */
async function pay(browser: Browser) {
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  assert.equal(stored.status, 201, stored.text);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  const { data } = await get("/charges?limit=20");
  const charge = data.find(
    (one: { checkout_session_id: string }) => one.checkout_session_id === browser.session,
  );
  assert.ok(charge, confirmed.text);
  return charge;
}

const payWith = async (params = {}) => pay(await createCheckout(shop, params, key));

/** Returns the payment once its amounts are as expected. */
const paymentWith = (charge: string, amounts: readonly [number, number, number]) =>
  until(
    () => checkoutCom.paymentOf(charge),
    ({ heldAmount, capturedAmount, refundedAmount }) =>
      [heldAmount, capturedAmount, refundedAmount].join() === amounts.join(),
  );

test("a sale is charged at Checkout.com once, and refunded in part", async () => {
  const charge = await payWith();
  assert.equal(charge.status, "succeeded");
  const payment = await paymentWith(charge.id, [0, 1999, 0]);
  assert.deepEqual(payment.billingDescriptor, { name: "FIELDWARE", city: "LONDON" });
  const refund = await shop.post("/refunds", { charge_id: charge.id, amount: 700 }, { as: key });
  assert.equal(refund.status, 201, refund.text);
  await until(() => get(`/refunds/${refund.body.id}`), statusIs("succeeded"));
  await paymentWith(charge.id, [0, 1999, 700]);
});

test("a network token of the test wallet is paid at Checkout.com with its cryptogram and ECI", async () => {
  for (const card of ["success", "success_apple_pay"]) {
    const browser = await createCheckout(shop, { three_d_secure: "always" }, key);
    const { body } = await payWithWallet(shop, browser, card);
    assert.equal(body.status, "complete");
    const [charge] = (await get("/charges?limit=1")).data;
    assert.equal(charge.payment_method_details.card.wallet, "test_wallet");
    assert.equal((await paymentWith(charge.id, [0, 1999, 0])).eci, "05");
  }
});

test("a hold is captured in part, and the rest is released", async () => {
  const { id, status } = await payWith({ capture_method: "manual" });
  assert.equal(status, "authorized");
  await paymentWith(id, [1999, 0, 0]);
  const captured = await shop.post(`/charges/${id}/capture`, { amount: 700 }, { as: key });
  assert.ok(captured.status < 300, captured.text);
  await until(() => get(`/charges/${id}`), statusIs("succeeded"));
  await paymentWith(id, [0, 700, 0]);
});

test("a hold is voided", async () => {
  const { id } = await payWith({ capture_method: "manual" });
  await shop.post(`/charges/${id}/cancel`, {}, { as: key });
  await until(() => get(`/charges/${id}`), statusIs("canceled"));
  assert.equal((await paymentWith(id, [0, 0, 0])).status, "Voided");
});

test("a capture that Checkout.com declines later fails, and the hold remains", async () => {
  const { id } = await payWith({ capture_method: "manual" });
  await checkoutCom.fault("captures", "declined_later", { channel });
  await shop.post(`/charges/${id}/capture`, {}, { as: key });
  await checkoutCom.control("POST clock", { advanceMs: 1_000 });
  const charge = await until(
    () => get(`/charges/${id}`),
    ({ pending_reason }) => pending_reason === null,
  );
  assert.equal(charge.status, "authorized");
});

test("a decline has our code and the network's, and moves no money", async () => {
  for (const [code, declineCode, networkCode] of [
    ["20051", "insufficient_funds", "51"],
    ["30043", "stolen_card", "43"],
    ["200N7", "incorrect_cvc", "N7"],
    ["40101", "fraudulent", null],
  ]) {
    await checkoutCom.control("POST responses", { channel, code });
    const charge = await payWith();
    assert.equal(charge.status, "failed");
    assert.deepEqual(
      [charge.decline_code, charge.outcome.network_decline_code],
      [declineCode, networkCode],
    );
    await paymentWith(charge.id, [0, 0, 0]);
  }
});

test("a merchant-initiated payment refers to the network transaction of the payment that saved the card", async () => {
  const customer = (await shop.post("/customers", { email: "ada@example.com" }, { as: key })).body;
  const params = { customer_id: customer.id, save_payment_method: true };
  const browser = await createCheckout(shop, params, key);
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  await browser.confirm(stored.body.payment_method_id, undefined, true);
  const { data } = await until(
    () => get(`/payment_methods?customer_id=${customer.id}`),
    (list) => list.data.length === 1,
  );
  const body = { amount: 500, currency: "usd", payment_method_id: data[0].id, off_session: true };
  const charge = (await shop.post("/charges", body, { as: key })).body;
  assert.equal(charge.status, "succeeded");
  const [first] = (await get("/charges?limit=2")).data.slice(1);
  const saved = await checkoutCom.paymentOf(first.id);
  const payment = await checkoutCom.paymentOf(charge.id);
  assert.deepEqual([saved.paymentType, saved.merchantInitiated], ["Unscheduled", false]);
  assert.deepEqual([payment.paymentType, payment.merchantInitiated], ["Unscheduled", true]);
  assert.deepEqual([payment.stored, payment.previousPaymentId], [true, saved.schemeId]);
});

test("a payment whose response is lost is found by our reference", async () => {
  await checkoutCom.fault("payments", "cut_before_response", { channel });
  await checkoutCom.fault("payments", "lost_event", { channel });
  const { id, status } = await payWith();
  assert.equal(status, "processing");
  await until(async () => {
    shop.clock.advance(10_000);
    return get(`/charges/${id}`);
  }, statusIs("succeeded"));
});

/** Pays up to the redirect. Returns the URL of Checkout.com's page. */
async function redirect(params: object = { three_d_secure: "always" }) {
  const browser = await createCheckout(shop, params, key);
  const { id } = await pay(browser);
  const { next_action } = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.begin();
  await cardholder.authenticate();
  const { url } = (await cardholder.challenge()).body;
  return { id, url } as { id: string; url: string };
}

async function choose(url: string, outcome: "authenticate" | "fail"): Promise<string> {
  const body = new URLSearchParams({ outcome });
  const page = await fetch(url, { method: "POST", body, redirect: "manual" });
  return page.headers.get("location") as string;
}

test("a cardholder who authenticates on Checkout.com's page and returns twice pays once", async () => {
  const { id, url } = await redirect();
  const back = await choose(url, "authenticate");
  await Promise.all([fetch(back), fetch(back)]);
  await until(() => get(`/charges/${id}`), statusIs("succeeded"));
  const payment = await paymentWith(id, [0, 1999, 0]);
  assert.deepEqual([payment.authentication?.kind, payment.authentication?.eci], ["own", "05"]);
});

test("an issuer that requires an authentication gets one, and then approves", async () => {
  await checkoutCom.control(`PUT accounts/${client}`, { upgradesSoftDeclines: true });
  await checkoutCom.control("POST responses", { channel, code: "20154" });
  const { id, url } = await redirect({});
  await fetch(await choose(url, "authenticate"));
  await until(() => get(`/charges/${id}`), statusIs("succeeded"));
  await paymentWith(id, [0, 1999, 0]);
});

test("a failed authentication at Checkout.com declines the charge", async () => {
  const { id, url } = await redirect();
  await fetch(await choose(url, "fail"));
  await until(() => get(`/charges/${id}`), statusIs("failed"));
  assert.equal((await get(`/charges/${id}`)).decline_code, "authentication_failed");
  await paymentWith(id, [0, 0, 0]);
});

test("the session ID with which a cardholder returns does not determine the outcome", async () => {
  const { id, url } = await redirect();
  const back = await choose(url, "fail").then((location) => new URL(location));
  back.searchParams.set("cko-session-id", "sid_aaaaaaaaaaaaaaaaaaaaaaaaaa");
  await fetch(back);
  await until(() => get(`/charges/${id}`), statusIs("failed"));
});

/** Pays, opens a dispute at Checkout.com and returns our dispute and Checkout.com's. */
async function openDispute() {
  const { id: charge } = await payWith();
  const { id: payment } = await paymentWith(charge, [0, 1999, 0]);
  const { dispute } = await checkoutCom.control<{ dispute: { id: string } }>("POST disputes", {
    payment,
    category: "product_service_not_received",
    reasonCode: "13.1",
  });
  const { data } = await until(
    () => get(`/disputes?charge_id=${charge}`),
    (list) => list.data.length === 1,
  );
  return { dispute: data[0], opened: dispute };
}

const atCheckoutCom = async (id: string) => {
  const { disputes } = await checkoutCom.control<{
    disputes: { status: string; evidence: Record<string, string> }[];
  }>(`GET disputes?id=${id}`);
  return disputes[0];
};

test("the merchant's evidence reaches Checkout.com as a file, and the dispute is won", async () => {
  const { dispute, opened } = await openDispute();
  assert.equal(dispute.reason, "product_not_received");
  const evidence = { product_description: "A blue mug.", customer_name: "Zoë Łukasz" };
  const sent = await shop.post(`/disputes/${dispute.id}/evidence`, evidence, { as: key });
  assert.equal(sent.status, 200, sent.text);
  const submitted = await until(
    () => atCheckoutCom(opened.id),
    (found) => found?.status === "evidence_under_review",
  );
  assert.match(submitted?.evidence.additional_evidence_file ?? "", /^file_/);
  await checkoutCom.control(`POST disputes/${opened.id}/close`, { status: "won" });
  await until(() => get(`/disputes/${dispute.id}`), statusIs("won"));
});

test("a dispute that is lost in arbitration after it was won is in review at once", async () => {
  const { dispute, opened } = await openDispute();
  await checkoutCom.control(`POST disputes/${opened.id}/close`, { status: "won" });
  await until(() => get(`/disputes/${dispute.id}`), statusIs("won"));
  await checkoutCom.control(`POST disputes/${opened.id}/close`, { status: "arbitration_lost" });
  const [notification] = await until(
    () => shop.app.database.read<{ state: string; problem: string }>`
      select state, problem from acquirer_notifications
       where event_code = 'dispute_arbitration_lost' and state <> 'pending'`,
    (found) => found.length === 1,
  );
  assert.deepEqual(notification, {
    state: "review",
    problem: "The dispute is 'won', but the acquirer reports 'lost'.",
  });
});

test("an accepted dispute is closed at Checkout.com and lost", async () => {
  const { dispute, opened } = await openDispute();
  await shop.post(`/disputes/${dispute.id}/accept`, {}, { as: key });
  await until(
    () => atCheckoutCom(opened.id),
    (found) => found?.status === "accepted",
  );
  await until(() => get(`/disputes/${dispute.id}`), statusIs("lost"));
});

test("a payout is posted with its fees, and the day reconciles", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const [{ id }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
  const { payouts } = await checkoutCom.control<{ payouts: { id: string; amount: number }[] }>(
    "POST payouts",
    { account: client },
  );
  const [payout] = payouts;
  assert.ok(payout);
  const reports = async () =>
    (await operator.send("GET", `/operator/v1/connections/${id}/reports`)).body.data;
  const [report] = await until(reports, ([one]) => typeof one?.applied_at === "number");
  assert.deepEqual([report.batch, report.problem, report.unmatched_lines], [payout.id, null, 0]);
  assert.equal(report.sums[0].paid_out, payout.amount);
  assert.ok(report.sums[0].fees > 0);
  shop.clock.advance(2 * minute);
  const day = shop.clock.now().toISOString().slice(0, 10);
  const reconciled = await shop.post("/reconciliations", { day }, { as: key });
  assert.ok(["balanced", "in_transit"].includes(reconciled.body.status), reconciled.text);
});

test("both signature keys are accepted while one replaces the other, and afterwards only the new one", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const [{ id }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
  const newSecret = "AnotherSignatureKeyOfCheckoutCom";
  const rotated = await connections.change("PUT", id, "secrets", { hmac_key: newSecret });
  assert.equal(rotated.status, 200, rotated.text);
  const send = async (secret: string) => {
    await checkoutCom.control(`PUT accounts/${client}`, { webhookSecret: secret });
    const path = `POST accounts/${client}/test_event`;
    return (await checkoutCom.control<{ delivered: boolean }>(path)).delivered;
  };
  assert.deepEqual([await send(webhookSecret), await send(newSecret)], [true, true]);
  assert.equal(await send("UnknownSignatureKeyOfCheckoutCom"), false);
  // The first event with the new secret changes the version of the connection, so the update can be rejected once.
  await until(
    () => connections.change("PUT", id, "secrets", { hmac_key: newSecret, overlap_hours: 0 }),
    ({ status }) => status === 200,
  );
  assert.deepEqual([await send(webhookSecret), await send(newSecret)], [false, true]);
});

test("400: rejects settings and secrets of a connection that do not have the format of Checkout.com", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  for (const [settings, code, param] of [
    [
      { merchant_account: "FieldwareECOM", live_prefix: "fieldwar" },
      "parameter_invalid",
      "settings.merchant_account",
    ],
    [{ merchant_account: channel }, "parameter_missing", "settings.live_prefix"],
    [
      { merchant_account: channel, live_prefix: "Fieldwar" },
      "parameter_invalid",
      "settings.live_prefix",
    ],
  ] as const) {
    const rejected = await connections.create({ ...sandboxCheckoutCom, settings });
    assert.deepEqual(errorOf(rejected).slice(2), [code, param]);
  }
  const { id } = (await connections.create(sandboxCheckoutCom)).body;
  const secrets = { api_key: secretKey, hmac_key: "short" };
  const rejected = await connections.change("PUT", id, "secrets", secrets);
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", "hmac_key"]);
});

test("a charge succeeds if the cardholder authenticates but never returns", async () => {
  const { id, url } = await redirect();
  await choose(url, "authenticate");
  await until(() => get(`/charges/${id}`), statusIs("succeeded"));
  await paymentWith(id, [0, 1999, 0]);
});

test("a payment that the cardholder authenticates after the charge was canceled is refunded", async () => {
  const { id, url } = await redirect();
  const canceled = await shop.post(`/charges/${id}/cancel`, {}, { as: key });
  assert.equal(canceled.status, 200, canceled.text);
  assert.equal(canceled.body.status, "canceled");
  await choose(url, "authenticate");
  await paymentWith(id, [0, 1999, 1999]);
  assert.equal((await get(`/charges/${id}`)).status, "canceled");
});

test("a charge fails when the payment of a cardholder who never returns has expired", async () => {
  const { id } = await redirect();
  shop.clock.advance(16 * minute);
  await until(() => get(`/charges/${id}`), statusIs("processing"));
  await checkoutCom.control("POST clock", { advanceMs: 16 * minute });
  await until(async () => {
    shop.clock.advance(minute);
    return get(`/charges/${id}`);
  }, statusIs("failed"));
  await paymentWith(id, [0, 0, 0]);
});

/* This test is the last one, because it advances the clock by a day. */
test("a refund is not sent again after its idempotency key has expired at Checkout.com", async () => {
  const { id } = await payWith();
  await paymentWith(id, [0, 1999, 0]);
  await checkoutCom.fault("refunds", "cut_before_response", { channel, processed: false });
  const sent = async () =>
    (
      await checkoutCom.control<{ requests: object[] }>(
        `GET requests?channel=${channel}&endpoint=refunds`,
      )
    ).requests.length;
  const before = await sent();
  const created = await shop.post("/refunds", { charge_id: id, amount: 700 }, { as: key });
  assert.equal(created.body.pending_reason, "outcome_unknown", created.text);
  const { version } = created.body;
  await checkoutCom.control("POST clock", { advanceMs: 25 * hour });
  shop.clock.advance(25 * hour);
  await until(
    () => get(`/refunds/${created.body.id}`),
    (refund) => refund.version > version,
  );
  assert.equal(await sent(), before + 1);
  await paymentWith(id, [0, 1999, 0]);
});
