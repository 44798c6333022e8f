import assert from "node:assert/strict";
import { test } from "node:test";
import { approvedCard } from "../adyen.ts";
import { type Cardholder, createCardholder } from "../cardholder.ts";
import type { Browser } from "../checkout.ts";
import { minute } from "../test-clock.ts";
import { startConnectedAdyenShop } from "./adyen-shop.ts";

/* Payments at Adyen in which the cardholder authenticates, or is absent and a stored card is charged. */
const { shop, adyen, checkout, pay, chargeOf, chargeWith, get, post, paymentOf, advanceClocks } =
  await startConnectedAdyenShop();

/**
 * Starts a payment in a new session, up to the redirect to Adyen's page. Returns the page's URL, the charge's ID and
 * the browser clients.
 */
async function redirect() {
  const browser = await checkout({ three_d_secure: "always" });
  const { id } = await pay(browser);
  const { next_action } = (await browser.readSession()).body;
  const cardholder = createCardholder(shop, next_action.url);
  assert.equal((await cardholder.begin()).body.step, "authenticate");
  assert.equal((await cardholder.authenticate()).body.step, "challenge");
  const { url, method } = (await cardholder.challenge()).body;
  assert.equal(method, "GET");
  return { id, browser, cardholder, url } as {
    id: string;
    browser: Browser;
    cardholder: Cardholder;
    url: string;
  };
}

/** Presses a button on Adyen's page. Returns the URL to which Adyen sends the browser. */
async function choose(url: string, outcome: "authenticate" | "fail"): Promise<string> {
  const body = new URLSearchParams({ outcome });
  const page = await fetch(url, { method: "POST", body, redirect: "manual" });
  return page.headers.get("location") as string;
}

async function stateAtAdyen(charge: string) {
  const { state, capturedValue } = await paymentOf(charge);
  return [state, capturedValue];
}

test("a cardholder authenticates on the page of Adyen, and the payment succeeds", async () => {
  const { id, cardholder, url } = await redirect();
  const { headers } = await cardholder.document();
  const policy = headers.get("content-security-policy") ?? "";
  assert(policy.includes(`frame-src 'self' https: ${adyen.url};`), policy);
  assert.equal((await fetch(await choose(url, "authenticate"))).status, 200);
  assert.equal((await cardholder.step()).body.passed, true);
  assert.equal((await chargeOf(id)).status, "succeeded");
  assert.deepEqual(await stateAtAdyen(id), ["authorised", 1999]);
});

test("a second return from the page of Adyen changes nothing", async () => {
  const { id, url } = await redirect();
  const back = await choose(url, "authenticate");
  await Promise.all([fetch(back), fetch(back)]);
  assert.equal((await fetch(back)).status, 200);
  assert.equal((await chargeWith(id, "succeeded")).amount_captured, 1999);
  assert.deepEqual(await stateAtAdyen(id), ["authorised", 1999]);
});

test("a payment is declined and not captured if the cardholder fails to authenticate", async () => {
  const { id, url } = await redirect();
  await fetch(await choose(url, "fail"));
  const charge = await chargeOf(id);
  assert.deepEqual([charge.status, charge.decline_code], ["failed", "authentication_failed"]);
  assert.deepEqual(await stateAtAdyen(id), ["refused", 0]);
});

test("a charge fails after its deadline if the cardholder never returns, and the customer can pay again", async () => {
  const { id, browser } = await redirect();
  await advanceClocks(16 * minute);
  await chargeWith(id, "failed");
  assert.deepEqual(await stateAtAdyen(id), ["redirected", 0]);
  assert.equal((await browser.readSession()).body.status, "open");
});

test("a cardholder who returns after 20 minutes is not charged", async () => {
  const { id, url } = await redirect();
  const back = await choose(url, "authenticate");
  await advanceClocks(20 * minute);
  await chargeWith(id, "failed");
  assert.equal((await fetch(back)).status, 200);
  assert.equal((await chargeOf(id)).status, "failed");
  assert.deepEqual(await stateAtAdyen(id), ["redirected", 0]);
});

for (const lost of ["cut_before_response", "html_502"]) {
  test(`a payment is charged once if the response to its authentication is lost (${lost})`, async () => {
    const { id, url } = await redirect();
    const back = await choose(url, "authenticate");
    await adyen.fault("details", lost);
    await fetch(back);
    await chargeWith(id, "succeeded");
    assert.deepEqual(await stateAtAdyen(id), ["authorised", 1999]);
  });
}

test("a stored card is charged without the cardholder, with the reference of the payment that stored it", async () => {
  const customer = (await post("/customers", { name: "Ada" })).body.id;
  const browser = await checkout({ customer_id: customer, save_payment_method: true });
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  const { payment_method_id } = stored.body;
  assert.equal((await browser.confirm(payment_method_id, "save", true)).status, 200);
  const { data } = await get(`/charges?customer_id=${customer}`);
  const charged = await post("/charges", {
    amount: 500,
    currency: "usd",
    payment_method_id,
    off_session: true,
  });
  assert.equal(charged.body.status, "succeeded", charged.text);
  const first = (await paymentOf(data[0].id)) as unknown as Record<string, string>;
  const second = (await paymentOf(charged.body.id)) as unknown as Record<string, string>;
  assert.equal(first.recurringProcessingModel, "CardOnFile");
  assert.equal(second.recurringProcessingModel, "UnscheduledCardOnFile");
  assert.ok(first.networkTxReference);
  assert.equal(second.networkPaymentReference, first.networkTxReference);
  assert.deepEqual(await stateAtAdyen(charged.body.id), ["authorised", 500]);
});
