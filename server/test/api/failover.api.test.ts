import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimelineEntry } from "@florin/contract/timeline.ts";
import { type AdyenPayment, approvedCard, connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCardholder } from "../cardholder.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { apiKey } from "../connection.ts";
import { until } from "../until.ts";

/** The merchant accounts of a merchant's two connections. The second is used if the first does not process a charge. */
const [first, next] = ["FieldwareECOM", "FieldwareNext"];
const { adyen, shop } = await startAdyenShop();
const merchant = await connectAdyen(shop, adyen, { merchantAccount: first, priority: 1 });
await connectAdyen(shop, adyen, { merchant, merchantAccount: next, priority: 2 });
const { key } = merchant;

/** Injects a fault into the next payments at the first merchant account, by default into one. */
const failFirst = (fault: string, more: object = {}) =>
  adyen.fault("payments", fault, { merchantAccount: first, ...more });
/** Lets Adyen reject the next payment at the first merchant account. The connector sends it three times in all. */
const rateLimited = () => failFirst("too_many_requests", { times: 3 });

async function chargeIn({ session }: Browser) {
  const { data } = (await shop.get(`/charges?checkout_session_id=${session}`, { as: key })).body;
  assert.equal(data.length, 1);
  return data[0];
}

/** Pays in a new session. Returns the charge after the response, and its payments at Adyen. */
async function payOnce(card = approvedCard) {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser, card);
  const charge = await chargeIn(browser);
  return { browser, charge, payments: await paymentsOf(charge.id) };
}

type Payment = AdyenPayment & { readonly merchantAccount: string };
const paymentsOf = async (charge: string) =>
  (await adyen.payments(`reference=${charge}`)) as readonly Payment[];

const accountsOf = (payments: readonly Payment[]) =>
  payments.map(({ merchantAccount }) => merchantAccount);

async function reroutesOf(charge: string): Promise<(string | null)[]> {
  const { entries } = (await shop.get(`/charges/${charge}/timeline`, { as: key })).body;
  return entries
    .filter(({ type }: TimelineEntry) => type === "charge.rerouted")
    .map(({ reason }: TimelineEntry) => reason);
}

test("a charge that the first acquirer rejects for its rate limit is paid over the next connection", async () => {
  await rateLimited();
  const { charge, payments } = await payOnce();
  assert.equal(charge.status, "succeeded");
  assert.deepEqual(accountsOf(payments), [next]);
  // The security code is sent over both connections.
  assert.equal(charge.payment_method_details.card.checks.cvc_check, "pass");
  assert.deepEqual(await reroutesOf(charge.id), ["rate_limited"]);
});

test("captures and refunds of a charge use the connection that processed it", async () => {
  await rateLimited();
  const { charge } = await payOnce();
  const refund = await shop.post("/refunds", { charge_id: charge.id, amount: 500 }, { as: key });
  await until(
    async () => (await shop.get(`/refunds/${refund.body.id}`, { as: key })).body.status,
    (status) => status === "succeeded",
  );
  const [payment, ...others] = await paymentsOf(charge.id);
  assert.deepEqual([payment?.merchantAccount, payment?.refundedValue], [next, 500]);
  assert.deepEqual(others, []);
});

test("a charge is paid over the next connection if the first API key is rejected", async () => {
  await adyen.control(`PUT accounts/${first}`, { apiKey: "another-key" });
  const { charge, payments } = await payOnce();
  await adyen.control(`PUT accounts/${first}`, { apiKey });
  assert.equal(charge.status, "succeeded");
  assert.deepEqual(accountsOf(payments), [next]);
  assert.deepEqual(await reroutesOf(charge.id), ["credentials"]);
});

for (const [fault, more, kept] of [
  ["cut_before_response", { processed: true }, [first]],
  ["cut_before_response", { processed: false }, []],
  ["cut_in_body", {}, [first]],
  ["html_502", { processed: false }, []],
  ["transient_error", { times: 3 }, []],
] as const) {
  const processed = kept.length > 0 ? "processed" : "not processed";
  test(`a charge with an unknown outcome is not sent again (${fault}, ${processed})`, async () => {
    // Pays once without a fault, because five unknown outcomes in a row would open the circuit breaker of the
    // connection.
    assert.deepEqual(accountsOf((await payOnce()).payments), [first]);
    await failFirst(fault, more);
    const { charge, payments } = await payOnce();
    assert.notEqual(charge.status, "failed");
    assert.deepEqual(accountsOf(payments), [...kept]);
    assert.deepEqual(await reroutesOf(charge.id), []);
  });
}

test("a declined charge is not sent again", async () => {
  const { charge, payments } = await payOnce({ ...approvedCard, cvc: "111" });
  assert.equal(charge.status, "failed");
  assert.deepEqual(accountsOf(payments), [first]);
  assert.deepEqual(await reroutesOf(charge.id), []);
});

test("a charge that no acquirer processes fails, and the customer can pay again", async () => {
  await adyen.fault("payments", "too_many_requests", { times: 6 });
  const { browser, charge, payments } = await payOnce();
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "processing_error"]);
  assert.deepEqual(payments, []);
  await pay(browser);
  assert.equal((await browser.readSession()).body.status, "complete");
});

test("a charge is not sent again if the first attempt took more than 6 seconds", async () => {
  // Together, the three responses take 6.3 s.
  await failFirst("too_many_requests", { times: 3, delayMs: 2_100 });
  const { charge, payments } = await payOnce();
  assert.equal(charge.status, "failed");
  assert.deepEqual(payments, []);
});

test("a charge is not sent over another connection before its new assignment is stored", async () => {
  const { database } = shop.app;
  await database.transaction(async (tx) => {
    await tx`
      create function reject_attempt() returns trigger language plpgsql as $$
      begin
        raise exception 'the attempt is rejected';
      end $$`;
    await tx`
      create trigger reject_attempt before insert on charge_attempts
        for each row execute function reject_attempt()`;
  });
  await rateLimited();
  const browser = await createCheckout(shop, {}, key);
  const { body } = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  assert.equal((await browser.confirm(body.payment_method_id)).status, 500);
  await database.transaction((tx) => tx`drop function reject_attempt cascade`);
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "processing");
  assert.deepEqual(await paymentsOf(id), []);
});

test("a cardholder whom the next acquirer redirects authenticates there", async () => {
  await rateLimited();
  const browser = await createCheckout(shop, { three_d_secure: "always" }, key);
  await pay(browser);
  const { next_action } = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.begin();
  assert.equal((await cardholder.authenticate()).body.step, "challenge");
  const { url } = (await cardholder.challenge()).body;
  const form = new URLSearchParams({ outcome: "authenticate" });
  assert.equal((await fetch(url, { method: "POST", body: form })).status, 200);
  const { id, status } = await chargeIn(browser);
  assert.equal(status, "succeeded");
  assert.deepEqual(accountsOf(await paymentsOf(id)), [next]);
});

test("while the circuit breaker of the first connection is open, charges are paid over the next one", async () => {
  for (let payments = 0; payments < 5; payments++) {
    await failFirst("html_502", { processed: false });
    await payOnce();
  }
  const { charge, payments } = await payOnce();
  assert.equal(charge.status, "succeeded");
  assert.deepEqual(accountsOf(payments), [next]);
  // The charge was routed over the next connection from the start, so no attempt was stored.
  assert.deepEqual(await reroutesOf(charge.id), []);
  const { route } = (await shop.get(`/charges/${charge.id}/timeline`, { as: key })).body;
  assert.deepEqual(route, {
    rules: [],
    connections: [
      { processor: "adyen", merchant_account: next, result: "used", rule: null, reason: null },
      {
        processor: "adyen",
        merchant_account: first,
        result: "skipped",
        rule: null,
        reason: "circuit_open",
      },
    ],
  });
});
