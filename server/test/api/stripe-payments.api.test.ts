import assert from "node:assert/strict";
import { test } from "node:test";
import { createCardholder } from "../cardholder.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import {
  approvedCard,
  connectStripe,
  sandboxStripe,
  secretKey,
  startStripeShop,
  stripeAccount,
  webhookSecret,
} from "../stripe.ts";
import { minute, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";

const { stripe, shop } = await startStripeShop();
// Advances Stripe's clock with the shop's, because the service rejects a notification whose time is 5 minutes off.
await stripe.control("POST clock", { advanceMs: skipEndOfDay(shop.clock) });
const { key } = await connectStripe(shop, stripe);

const get = async (path: string) => (await shop.get(path, { as: key })).body;

/** Types the card, confirms the session and returns its charge. */
async function pay(browser: Browser, number = approvedCard.number) {
  const stored = await browser.type(number, { cvc: approvedCard.cvc });
  assert.equal(stored.status, 201, stored.text);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  const { data } = await get("/charges?limit=20");
  const charge = data.find(
    (one: { checkout_session_id: string }) => one.checkout_session_id === browser.session,
  );
  assert.ok(charge, confirmed.text);
  return charge;
}

const payWith = async (number?: string, params = {}) =>
  pay(await createCheckout(shop, params, key), number);

test("the form offers no wallet, because Stripe accepts no network tokens", async () => {
  const browser = await createCheckout(shop, {}, key);
  assert.deepEqual((await browser.readSession()).body.wallets, []);
});

test("a sale is charged at Stripe once, and refunded in part", async () => {
  const charge = await payWith();
  assert.equal(charge.status, "succeeded");
  const payment = await stripe.paymentOf(charge.id);
  assert.deepEqual([payment.capturedAmount, payment.refundedAmount], [1999, 0]);
  const refund = await shop.post("/refunds", { charge_id: charge.id, amount: 700 }, { as: key });
  assert.equal(refund.body.status, "succeeded", refund.text);
  assert.equal((await stripe.paymentOf(charge.id)).refundedAmount, 700);
});

test("a decline has the code of the issuer, and moves no money", async () => {
  const charge = await payWith("4000000000009979");
  assert.equal(charge.status, "failed");
  assert.equal(charge.decline_code, "stolen_card");
  assert.equal((await stripe.paymentOf(charge.id)).capturedAmount, 0);
});

test("402: a charge whose payment was captured in Stripe's dashboard is not canceled", async () => {
  const held = await payWith(undefined, { capture_method: "manual" });
  const { id } = await stripe.paymentOf(held.id);
  const captured = await fetch(`${stripe.url}/v1/payment_intents/${id}/capture`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}` },
  });
  assert.equal(captured.status, 200, await captured.text());
  const reply = await shop.post(`/charges/${held.id}/cancel`, {}, { as: key });
  assert.equal(errorOf(reply)[2], "card_declined", reply.text);
  assert.equal((await get(`/charges/${held.id}`)).status, "authorized");
});

test("a pending refund succeeds when Stripe reports it", async () => {
  const { id } = await payWith("4000000000007726");
  const refund = await shop.post("/refunds", { charge_id: id, amount: 500 }, { as: key });
  assert.equal(refund.body.status, "pending", refund.text);
  await stripe.control("POST clock", { advanceMs: 1_000 });
  await until(
    () => get(`/refunds/${refund.body.id}`),
    ({ status }) => status === "succeeded",
  );
});

test("a payment whose creation is lost is not charged, and the cardholder can pay again", async () => {
  for (const fault of ["cut_before_response", "html_502"]) {
    await stripe.fault("create", fault);
    const charge = await payWith();
    assert.equal(charge.status, "failed", fault);
    assert.equal((await stripe.paymentOf(charge.id)).charge, null);
  }
});

/** Pays up to the redirect. Returns the URL of Stripe's page. */
async function redirect() {
  const browser = await createCheckout(shop, { three_d_secure: "always" }, key);
  const { id } = await pay(browser, "4000002760003184");
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

test("a cardholder who authenticates on Stripe's page and returns twice pays once", async () => {
  const { id, url } = await redirect();
  const back = await choose(url, "authenticate");
  await Promise.all([fetch(back), fetch(back)]);
  const charge = await get(`/charges/${id}`);
  assert.equal(charge.status, "succeeded");
  const payment = await stripe.paymentOf(id);
  assert.deepEqual([payment.capturedAmount, payment.authentication], [1999, "own"]);
});

test("a failed authentication at Stripe declines the charge", async () => {
  const { id, url } = await redirect();
  await fetch(await choose(url, "fail"));
  const charge = await get(`/charges/${id}`);
  assert.equal(charge.status, "failed");
  assert.equal((await stripe.paymentOf(id)).charge, null);
});

/** Pays, opens a dispute at Stripe and returns our dispute and Stripe's. */
async function openDispute() {
  const { id: charge } = await payWith();
  const { id: payment } = await stripe.paymentOf(charge);
  const { dispute } = await stripe.control<{ dispute: { id: string; dueBy: number } }>(
    "POST disputes",
    { payment, reason: "product_not_received", networkReasonCode: "13.1" },
  );
  const { data } = await until(
    () => get(`/disputes?charge_id=${charge}`),
    (list) => list.data.length === 1,
  );
  return { dispute: data[0], atStripe: dispute };
}

const atStripe = async (id: string) => {
  const { disputes } = await stripe.control<{
    disputes: { status: string; evidence: Record<string, string> }[];
  }>(`GET disputes?id=${id}`);
  return disputes[0];
};

test("a dispute at Stripe without our reference is matched to its charge, and the merchant's evidence reaches Stripe as a file", async () => {
  const { dispute, atStripe: opened } = await openDispute();
  assert.equal(dispute.reason, "product_not_received");
  assert.equal(dispute.evidence_due_by, opened.dueBy);
  const evidence = { product_description: "A blue mug.", customer_name: "Zoë Łukasz" };
  const sent = await shop.post(`/disputes/${dispute.id}/evidence`, evidence, { as: key });
  assert.equal(sent.status, 200, sent.text);
  const submitted = await until(
    () => atStripe(opened.id),
    (found) => found?.status === "under_review",
  );
  assert.match(submitted?.evidence.uncategorized_file ?? "", /^file_/);
  await stripe.control(`POST disputes/${opened.id}/close`, { status: "won" });
  await until(
    () => get(`/disputes/${dispute.id}`),
    ({ status }) => status === "won",
  );
});

test("a dispute whose outcome arrives before its opening is decided", async () => {
  const { id: charge } = await payWith();
  const { id: payment } = await stripe.paymentOf(charge);
  await stripe.control("POST hold_events", { held: true });
  const { dispute } = await stripe.control<{ dispute: { id: string } }>("POST disputes", {
    payment,
  });
  await stripe.control(`POST disputes/${dispute.id}/close`, { status: "won" });
  await stripe.control("POST hold_events", { held: false });
  const { events } = await stripe.control<{ events: { id: string }[] }>("GET events?state=held");
  for (const { id } of events.toReversed()) {
    await stripe.control(`POST events/${id}/send`);
    await until(
      () => shop.app.database.read`
        select from acquirer_notifications where deduplication_key = ${id} and version > 1`,
      (handled) => handled.length === 1,
    );
  }
  const { data } = await until(
    () => get(`/disputes?charge_id=${charge}`),
    (list) => list.data[0]?.status === "won",
  );
  assert.equal(data.length, 1);
  assert.equal((await get(`/charges/${charge}`)).amount_disputed, 0);
});

test("an accepted dispute is closed at Stripe and lost", async () => {
  const { dispute, atStripe: opened } = await openDispute();
  await shop.post(`/disputes/${dispute.id}/accept`, {}, { as: key });
  await until(
    () => atStripe(opened.id),
    (found) => found?.status === "lost",
  );
  await until(
    () => get(`/disputes/${dispute.id}`),
    ({ status }) => status === "lost",
  );
});

test("a payout is posted with its fees, and the day reconciles", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const [{ id }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
  const { payouts } = await stripe.control<{ payouts: { id: string; amount: number }[] }>(
    "POST payouts",
    { account: stripeAccount },
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

test("both signing secrets are accepted while one replaces the other, and afterwards only the new one", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const [{ id }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
  const newSecret = "whsec_AnotherStripeSigningSecret";
  const rotated = await connections.change("PUT", id, "secrets", { hmac_key: newSecret });
  assert.equal(rotated.status, 200, rotated.text);
  const send = async (secret: string) => {
    await stripe.control(`PUT accounts/${stripeAccount}`, { webhookSecret: secret });
    const path = `POST accounts/${stripeAccount}/test_event`;
    return (await stripe.control<{ delivered: boolean }>(path)).delivered;
  };
  assert.deepEqual([await send(webhookSecret), await send(newSecret)], [true, true]);
  assert.equal(await send("whsec_UnknownStripeSigningSecret"), false);
  // The connection records its first event with the new secret, which increments its version. An update that conflicts
  // with this is rejected, so `until` repeats it.
  await until(
    () => connections.change("PUT", id, "secrets", { hmac_key: newSecret, overlap_hours: 0 }),
    ({ status }) => status === 200,
  );
  assert.deepEqual([await send(webhookSecret), await send(newSecret)], [false, true]);
});

test("400: rejects settings and secrets of a connection that do not have the format of Stripe", async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  for (const [settings, param] of [
    [{ merchant_account: "FieldwareECOM" }, "settings.merchant_account"],
    [{ merchant_account: stripeAccount, live_prefix: "prefix" }, "settings.live_prefix"],
  ] as const) {
    const rejected = await connections.create({ ...sandboxStripe, settings });
    assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", param]);
  }
  const { id } = (await connections.create(sandboxStripe)).body;
  const secrets = { api_key: secretKey, hmac_key: "44".repeat(32) };
  const rejected = await connections.change("PUT", id, "secrets", secrets);
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", "hmac_key"]);
});
