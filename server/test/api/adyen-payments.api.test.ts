import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "../connection.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
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

const sessionOf = async ({ session }: Browser) =>
  (await shop.get(`/checkout_sessions/${session}`, { as: key })).body;

const chargeOf = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;

type Payment = { reference: string; state: unknown; amount: { value: number; currency: string } };
const paymentsAt = async (reference: string) =>
  (await control<{ payments: Payment[] }>(`GET payments?reference=${reference}`)).payments;

test("a live session is paid at Adyen, refunded, and the refund succeeds with the notification", async () => {
  const browser = await checkout();
  await pay(browser);
  const session = await until(
    () => sessionOf(browser),
    ({ payment_status }) => payment_status === "paid",
  );
  const charge = await chargeOf(session.charge_id);
  assert.deepEqual([charge.status, charge.livemode, charge.amount], ["succeeded", true, 1999]);
  const [payment, ...others] = await paymentsAt(charge.id);
  assert.deepEqual(payment?.amount, { currency: "USD", value: 1999 });
  assert.deepEqual(others, []);

  const refund = await shop.post("/refunds", { charge_id: charge.id, amount: 500 }, { as: key });
  assert.equal(refund.status, 201, refund.text);
  await until(
    async () => (await shop.get(`/refunds/${refund.body.id}`, { as: key })).body,
    ({ status }) => status === "succeeded",
  );
  assert.equal((await chargeOf(charge.id)).amount_refunded, 500);
});
