import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAdyen, startAdyen } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { activateCheckoutCom, channel, startCheckoutCom } from "../checkout-com.ts";
import { startLiveShop } from "../live-shop.ts";
import { createPerson } from "../person.ts";
import { activateStripe, startStripe, stripeAccount } from "../stripe.ts";
import { until } from "../until.ts";

/*
 * A merchant has a connection to each live acquirer, and the currency of a payment selects the connection. A card that
 * was saved in a payment at one acquirer is charged at each of the three.
 */
const [adyen, stripe, checkoutCom] = await Promise.all([
  startAdyen(),
  startStripe(),
  startCheckoutCom(),
]);
const shop = await startLiveShop({ adyen, stripe, checkout_com: checkoutCom });
const merchant = await connectAdyen(shop, adyen, { priority: 3 });
const operator = await createPerson(shop, { operator: true, secondFactor: true });
await assign((await activateStripe(shop, stripe)).id, stripeAccount, "eur", 1);
await assign((await activateCheckoutCom(shop, checkoutCom)).id, channel, "gbp", 2);
const as = merchant.key;

async function assign(
  connection: string,
  merchantAccount: string,
  currency: string,
  priority: number,
): Promise<void> {
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account: merchant.account,
    connection,
    merchant_account: merchantAccount,
    currencies: [currency],
    mcc: "5941",
    priority,
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
}

/** The network transaction IDs of a charge at its acquirer: its own, and that of the earlier payment it refers to. */
type Transactions = { readonly own: string | null; readonly earlier: string | null };

const acquirers = {
  Adyen: {
    currency: "usd",
    async read(charge: string): Promise<Transactions> {
      const payment = (await adyen.paymentOf(charge)) as unknown as {
        networkTxReference: string | null;
        networkPaymentReference: string | null;
      };
      return { own: payment.networkTxReference, earlier: payment.networkPaymentReference };
    },
  },
  Stripe: {
    currency: "eur",
    async read(charge: string): Promise<Transactions> {
      const payment = await stripe.paymentOf(charge);
      return { own: payment.ownNetworkTransactionId, earlier: payment.networkTransactionId };
    },
  },
  "Checkout.com": {
    currency: "gbp",
    async read(charge: string): Promise<Transactions> {
      const payment = await checkoutCom.paymentOf(charge);
      return { own: payment.schemeId, earlier: payment.previousPaymentId };
    },
  },
};
type Acquirer = keyof typeof acquirers;
const names = Object.keys(acquirers) as Acquirer[];

/** Pays in a session and saves the card. Returns the charge and the payment method. */
async function saveCard(acquirer: Acquirer, number: string) {
  const customer = (await shop.post("/customers", { email: "ada@example.com" }, { as })).body;
  const { currency } = acquirers[acquirer];
  const params = { currency, customer_id: customer.id, save_payment_method: true };
  const browser = await createCheckout(shop, params, as);
  const typed = await browser.type(number, { cvc: "737" });
  const confirmed = await browser.confirm(typed.body.payment_method_id, undefined, true);
  assert.equal(confirmed.status, 200, confirmed.text);
  const charges = await shop.get(`/charges?checkout_session_id=${browser.session}`, { as });
  const methods = await shop.get(`/payment_methods?customer_id=${customer.id}`, { as });
  assert.equal(methods.body.data.length, 1, "the card was not saved");
  return { charge: charges.body.data[0], method: methods.body.data[0] };
}

/** Charges a saved card without the cardholder. */
async function chargeOffSession(acquirer: Acquirer, method: string) {
  const { currency } = acquirers[acquirer];
  const body = { amount: 1999, currency, payment_method_id: method, off_session: true };
  return shop.post("/charges", body, { as });
}

const cards = { Visa: "4111111111111111", Mastercard: "5555555555554444" };

for (const first of names) {
  for (const [network, number] of Object.entries(cards)) {
    test(`the network transaction ID of a ${network} payment at ${first} is sent to every acquirer`, async () => {
      const { charge, method } = await saveCard(first, number);
      const { own } = await acquirers[first].read(charge.id);
      assert.ok(own, `${first} returned no network transaction ID`);
      for (const next of names) {
        const later = await chargeOffSession(next, method.id);
        assert.equal(later.body.status, "succeeded", `${next}: ${later.text}`);
        assert.equal((await acquirers[next].read(later.body.id)).earlier, own, next);
      }
    });
  }
}

test("a card is saved without a network transaction ID, and the next payment of its holder supplies it", async () => {
  await adyen.control("PUT accounts/FieldwareECOM", { returnsAdditionalData: false });
  const { method } = await saveCard("Adyen", cards.Visa);
  await adyen.control("PUT accounts/FieldwareECOM", { returnsAdditionalData: true });
  const before = await chargeOffSession("Stripe", method.id);
  assert.equal((await acquirers.Stripe.read(before.body.id)).earlier, null);

  const params = { currency: "usd", customer_id: method.customer_id };
  const browser = await createCheckout(shop, params, as);
  const confirmed = await browser.confirmSaved(method.id, "737");
  assert.equal(confirmed.status, 200, confirmed.text);
  const charges = await shop.get(`/charges?checkout_session_id=${browser.session}`, { as });
  const { own } = await acquirers.Adyen.read(charges.body.data[0].id);
  const later = await chargeOffSession("Stripe", method.id);
  assert.ok(own);
  assert.equal((await acquirers.Stripe.read(later.body.id)).earlier, own);
});

const methodOf = async (id: string) => (await shop.get(`/payment_methods/${id}`, { as })).body;

test("the country and the funding of a saved card are stored from the acquirer's response", async () => {
  const { method } = await saveCard("Adyen", cards.Visa);
  assert.deepEqual([method.card.country, method.card.funding], ["NL", "credit"]);
});

test("a new expiry date that the acquirer reports is used for later charges", async () => {
  const { method } = await saveCard("Adyen", cards.Visa);
  const update = { merchantAccount: "FieldwareECOM", status: "CardExpiryChanged" };
  await adyen.control("POST account_updates", { ...update, expiryDate: "3/2038" });
  assert.equal((await chargeOffSession("Adyen", method.id)).body.status, "succeeded");
  const { card } = await methodOf(method.id);
  assert.deepEqual([card.exp_month, card.exp_year], [3, 2038]);
  const later = await chargeOffSession("Checkout.com", method.id);
  const payment = (await checkoutCom.paymentOf(later.body.id)) as unknown as {
    card: { expiryMonth: number; expiryYear: number };
  };
  assert.deepEqual([payment.card.expiryMonth, payment.card.expiryYear], [3, 2038]);
});

for (const [acquirer, report, reason] of [
  ["Adyen", "CloseAccount", "account_closed"],
  ["Adyen", "CardChanged", "card_replaced"],
  ["Checkout.com", "contact_cardholder", "contact_cardholder"],
] as const) {
  test(`a card must be updated after ${acquirer} reported ${report}, until a payment is approved`, async () => {
    const { method } = await saveCard(acquirer, cards.Visa);
    assert.equal(method.update_required, null);
    if (acquirer === "Adyen") {
      const update = { merchantAccount: "FieldwareECOM", status: report };
      await adyen.control("POST account_updates", update);
    } else {
      const accountUpdate = { status: report };
      await checkoutCom.control("POST responses", { channel, code: "20005", accountUpdate });
    }
    await chargeOffSession(acquirer, method.id);
    const { update_required: required } = await methodOf(method.id);
    assert.equal(required?.reason, reason);
    const listed = await shop.get("/payment_methods?update_required=true", { as });
    assert.ok(listed.body.data.some(({ id }: { id: string }) => id === method.id));

    // A payment that another acquirer approves clears `update_required`.
    const next = acquirer === "Adyen" ? "Checkout.com" : "Adyen";
    const later = await chargeOffSession(next, method.id);
    assert.equal(later.body.status, "succeeded", later.text);
    assert.equal((await methodOf(method.id)).update_required, null);
    const rest = await shop.get("/payment_methods?update_required=true", { as });
    assert.ok(!rest.body.data.some(({ id }: { id: string }) => id === method.id));
  });
}

test("a charge with an expired card marks the card, and the charge stays declined", async () => {
  const { method } = await saveCard("Checkout.com", cards.Visa);
  await checkoutCom.control("POST responses", { channel, code: "30033" });
  const declined = await chargeOffSession("Checkout.com", method.id);
  assert.equal(declined.status, 402, declined.text);
  const { update_required: required } = await until(
    () => methodOf(method.id),
    ({ update_required }) => update_required !== null,
  );
  assert.equal(required.reason, "expired");
});
