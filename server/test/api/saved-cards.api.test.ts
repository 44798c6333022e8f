import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCardholder, rightCode, submitToIssuer } from "../cardholder.ts";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { minute } from "../test-clock.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const customer = async () => (await shop.post("/customers", { name: "Ada" })).body.id as string;
const createSavingSession = async (of: string) =>
  createCheckout(shop, { customer_id: of, save_payment_method: true });
const cardsOf = async (id: string) =>
  (await shop.get(`/payment_methods?customer_id=${id}`)).body.data;
const chargeOffSession = (payment_method_id: string) =>
  shop.post("/charges", { amount: 500, currency: "usd", payment_method_id, off_session: true });
const methodOf = async (id: string) => (await shop.get(`/payment_methods/${id}`)).body;
const attach = (name: string, customer_id: string) =>
  shop.post(`/payment_methods/${name}/attach`, { customer_id });
const unexpected = "payment_method_unexpected_state";

test("200: the first successful payment after the cardholder's consent saves the card", async () => {
  const ada = await customer();
  const browser = await createSavingSession(ada);
  assert.equal((await browser.readSession()).body.save_payment_method, true);
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  assert.deepEqual(await cardsOf(ada), []);
  const paid = await browser.confirm(payment_method_id, "save", true);
  assert.equal(paid.body.status, "complete");
  const [card] = await cardsOf(ada);
  assert.deepEqual([card.id, card.customer_id], [payment_method_id, ada]);
});

test("200: a card is not saved without the cardholder's consent, even if the session requests it", async () => {
  const ada = await customer();
  const browser = await createSavingSession(ada);
  assert.equal((await browser.pay("4242424242424242")).body.status, "complete");
  assert.deepEqual(await cardsOf(ada), []);
});

test("200: a declined card and a card with withdrawn consent are not saved", async () => {
  const ada = await customer();
  const browser = await createSavingSession(ada);
  const declined = (await browser.type("4000000000009995")).body.payment_method_id;
  assert.equal((await browser.confirm(declined, "declined", true)).body.status, "open");
  const other = (await browser.type("4000000000000341")).body.payment_method_id;
  assert.equal((await browser.confirm(other, "without")).body.status, "open");
  assert.deepEqual(await cardsOf(ada), []);
  const agreed = await browser.confirm(other, "with", true);
  assert.equal(agreed.body.status, "complete", "the issuer approves this card only if it is saved");
  assert.equal((await chargeOffSession(other)).body.error.code, "card_declined");
});

test("201: a saved card can be charged off-session, and belongs to the customer", async () => {
  const ada = await customer();
  const browser = await createSavingSession(ada);
  const { payment_method_id } = (await browser.type("5555555555554444")).body;
  await browser.confirm(payment_method_id, "mit", true);
  const { status, body } = await chargeOffSession(payment_method_id);
  assert.deepEqual([status, body.status, body.customer_id], [201, "succeeded", ada]);
});

test("200: the next session offers the saved card, which pays with only its security code", async () => {
  const ada = await customer();
  const { id } = (await attach("pm_card_visa", ada)).body;
  const browser = await createCheckout(shop, { customer_id: ada });
  const [offered] = (await browser.readSession()).body.saved_cards;
  assert.deepEqual([offered.payment_method_id, offered.last4], [id, "4242"]);
  assert.equal((await browser.confirmSaved(id)).body.status, "complete");
});

test("400: rejects a saved card without its security code and charges nothing", async () => {
  const { id } = (await attach("pm_card_visa", await customer())).body;
  const browser = await createCheckout(shop, { customer_id: (await methodOf(id)).customer_id });
  const reply = await browser.confirm(id);
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_missing", "cvc"]);
  const { body } = await shop.get(`/charges?payment_method_id=${id}`);
  assert.deepEqual(body.data, []);
  assert.equal((await browser.confirmSaved(id)).body.status, "complete");
});

test("402: a security code of the wrong length is rejected by field and charges nothing", async () => {
  const { id } = (await attach("pm_card_amex", await customer())).body;
  const browser = await createCheckout(shop, { customer_id: (await methodOf(id)).customer_id });
  const reply = await browser.confirmSaved(id, "123");
  assert.deepEqual(errorOf(reply), [402, "card_error", "invalid_cvc", "cvc"]);
  assert.equal((await browser.readSession()).body.attempts, 0);
  assert.equal((await browser.confirmSaved(id, "1234")).body.status, "complete");
});

for (const [name, how] of [
  ["pm_card_visa", "without a challenge"],
  ["pm_card_authenticationRequired", "after a challenge"],
] as const) {
  test(`the issuer checks the security code of a saved card that is charged ${how}, and the result is shown`, async () => {
    const { id } = (await attach(name, await customer())).body;
    const browser = await createCheckout(shop, { customer_id: (await methodOf(id)).customer_id });
    const { body } = await browser.confirmSaved(id);
    const { charge_id } = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
    if (how === "after a challenge") {
      const cardholder = createCardholder(shop, body.next_action.url);
      assert.equal(await cardholder.runUntilAres(), "challenge");
      await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
    }
    const charge = await until(
      async () => (await shop.get(`/charges/${charge_id}`)).body,
      ({ status }) => status === "succeeded",
    );
    assert.equal(charge.payment_method_details.card.checks.cvc_check, "pass");
  });
}

for (const [result, amount, status] of [
  ["authenticated", 9_003_002, "complete"],
  ["attempted", 9_003_003, "open"],
  ["unavailable", 9_003_005, "open"],
] as const) {
  test(`when the security code of a saved card is lost and 3-D Secure is ${result}, the session is ${status}`, async () => {
    const { id } = (await attach("pm_card_visa", await customer())).body;
    const customer_id = (await methodOf(id)).customer_id;
    const browser = await createCheckout(shop, { customer_id, amount });
    const { next_action } = (await browser.confirmSaved(id, "999")).body;
    const cardholder = createCardholder(shop, next_action.url);
    shop.clock.advance(14 * minute);
    await cardholder.begin();
    shop.clock.advance(2 * minute);
    assert.equal(await cardholder.runUntilAres(), "done");
    const { body } = await browser.readSession();
    assert.equal(body.status, status);
    if (status === "complete") return;
    assert.equal(body.last_payment_error.code, "processing_error");
    // The customer enters the security code again.
    const second = createCardholder(shop, (await browser.confirmSaved(id)).body.next_action.url);
    assert.equal(await second.runUntilAres(), "done");
    assert.equal((await browser.readSession()).body.status, "complete");
  });
}

test("400: accepts a security code only for a saved card, because a typed card includes its own", async () => {
  const browser = await createCheckout(shop);
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  const reply = await browser.confirmSaved(payment_method_id);
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_invalid", "cvc"]);
});

test("no security code is stored: attempts that differ only in the code have the same fingerprint", async () => {
  const { id } = (await attach("pm_card_visa", await customer())).body;
  const browser = await createCheckout(shop, { customer_id: (await methodOf(id)).customer_id });
  const first = await browser.confirmSaved(id, "123", "one attempt");
  const again = await browser.confirmSaved(id, "456", "one attempt");
  assert.deepEqual([first.body.status, again.status], ["complete", 200], again.text);
});

test("200: a session that saves a card without a customer creates the customer", async () => {
  const browser = await createCheckout(shop, {
    save_payment_method: true,
    customer_email: "bob@example.com",
  });
  const session = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  const created = (await shop.get(`/customers/${session.customer_id}`)).body;
  assert.equal(created.email, "bob@example.com");
});

test("402: an off-session charge can require authentication, and a session lets the customer complete it", async () => {
  const ada = await customer();
  const { id } = (await attach("pm_card_authenticationRequired", ada)).body;
  const { status, body } = await chargeOffSession(id);
  assert.deepEqual(
    [status, body.error.code, body.error.decline_code],
    [402, "authentication_required", "authentication_required"],
  );
  const browser = await createCheckout(shop, { customer_id: ada, amount: 500 });
  assert.equal((await browser.confirmSaved(id)).body.status, "requires_action");
});

for (const [name, when, offSession, status] of [
  ["pm_card_authenticationRequiredOnSetup", "absent", true, "succeeded"],
  ["pm_card_authenticationRequiredOnSetup", "present", false, "succeeded"],
  ["pm_card_authenticationRequiredSetupForOffSession", "absent", true, "succeeded"],
  ["pm_card_authenticationRequiredSetupForOffSession", "present", false, "requires_action"],
] as const) {
  test(`201: the saved card ${name}, charged with the cardholder ${when}, is ${status}`, async () => {
    const { id } = (await attach(name, await customer())).body;
    const charge = { amount: 500, currency: "usd", payment_method_id: id, off_session: offSession };
    assert.equal((await shop.post("/charges", charge)).body.status, status);
  });
}

test("400: rejects an off-session charge of a card without the cardholder's consent", async () => {
  const browser = await createCheckout(shop);
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  await browser.confirm(payment_method_id);
  const reply = await chargeOffSession(payment_method_id);
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", unexpected, "payment_method_id"]);
});

test("400: another customer's saved card can pay neither a charge nor a session", async () => {
  const { id } = (await attach("pm_card_visa", await customer())).body;
  const bob = await customer();
  const charge = { amount: 500, currency: "usd", payment_method_id: id, customer_id: bob };
  const reply = await shop.post("/charges", charge);
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", unexpected, "customer_id"]);
  const session = await createCheckout(shop, { customer_id: bob });
  assert.equal((await session.confirmSaved(id)).body.error.code, "resource_missing");
});

test("400: rejects the consent if the session does not offer to save the card", async () => {
  const browser = await createCheckout(shop);
  const { payment_method_id } = (await browser.type("4242424242424242")).body;
  const reply = await browser.confirm(payment_method_id, "unasked", true);
  assert.deepEqual(errorOf(reply).slice(2), ["parameter_invalid", "save_payment_method"]);
});

test("detach: 200 and the card is erased, no longer offered, and cannot be charged", async () => {
  const ada = await customer();
  const saved = (await attach("pm_card_visa", ada)).body;
  const { status, body } = await shop.post(`/payment_methods/${saved.id}/detach`, {});
  assert.deepEqual([status, body], [200, { ...saved, customer_id: null, saved_by: null }]);
  assert.deepEqual(await cardsOf(ada), []);
  assert.equal((await chargeOffSession(saved.id)).body.error.code, "payment_method_not_available");
  const again = await shop.post(`/payment_methods/${saved.id}/detach`, {});
  assert.deepEqual(errorOf(again), [400, "invalid_request_error", unexpected, "id"]);
  const fixed = await shop.post("/payment_methods/pm_card_visa/detach", {});
  assert.deepEqual(errorOf(fixed), [400, "invalid_request_error", unexpected, "id"]);
});

test("attach: 400 for an unknown customer, and for a card without the cardholder's consent", async () => {
  const unknownCustomer = await attach("pm_card_visa", "cus_01jb0000000000000000000000");
  assert.deepEqual(errorOf(unknownCustomer).slice(2), ["resource_missing", "customer_id"]);
  const { type } = await createCheckout(shop);
  const { payment_method_id } = (await type("4242424242424242")).body;
  const reply = await attach(payment_method_id, await customer());
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", unexpected, "id"]);
});

test("attach: 400 when the customer has fifty cards", async () => {
  const ada = await customer();
  for (let count = 0; count < 50; count++) await attach("pm_card_visa", ada);
  const reply = await attach("pm_card_visa", ada);
  assert.equal(reply.body.error.code, "customer_max_payment_methods");
});

test("list: 200 filters saved cards by expiry month, so that merchants can request new ones", async () => {
  const { key: as } = await shop.createMerchant();
  const ada = (await shop.post("/customers", {}, { as })).body.id;
  const attached = { customer_id: ada };
  const { id } = (await shop.post("/payment_methods/pm_card_visa/attach", attached, { as })).body;
  const year = shop.clock.now().getUTCFullYear() + 3;
  const before = async (month: string) =>
    (await shop.get(`/payment_methods?expires_before=${month}`, { as })).body.data.length;
  assert.deepEqual([await before(`${year}-12`), await before(`${year + 1}-01`)], [0, 1], id);
  const reply = await shop.get("/payment_methods?expires_before=soon", { as });
  assert.deepEqual(errorOf(reply).slice(2), ["parameter_invalid", "expires_before"]);
});
