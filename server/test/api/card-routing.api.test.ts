import assert from "node:assert/strict";
import { test } from "node:test";
import { approvedCard, connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { apiKey, hmacKey } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { until } from "../until.ts";

/** These tests use a merchant whose Visa and Mastercard payments go to different merchant accounts at Adyen. */
const { adyen, shop } = await startAdyenShop();
const { account, key } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const [assignment] = (await operator.send("GET", `/operator/v1/assignments?account=${account}`))
  .body.data;
await adyen.control("PUT accounts/FieldwareMC", { apiKey, hmacKey });

const reason = "Agreed with the merchant.";
const mastercard = { number: "5555444433331111", cvc: "737" };
const amex = { number: "370000000000002", cvc: "7373" };

async function change(terms: object): Promise<void> {
  const path = `/operator/v1/assignments/${assignment.id}`;
  const { version } = (
    await operator.send("GET", `/operator/v1/assignments?account=${account}`)
  ).body.data.find(({ id }: { id: string }) => id === assignment.id);
  const changed = await operator.send("PATCH", path, { ...terms, version, reason });
  assert.equal(changed.status, 200, changed.text);
}

await change({ networks: ["visa"] });
const second = await operator.send("POST", "/operator/v1/assignments", {
  account,
  connection: assignment.connection,
  merchant_account: "FieldwareMC",
  mcc: "5941",
  networks: ["mastercard"],
  priority: 2,
  reason,
});
assert.equal(second.status, 201, second.text);

async function merchantAccountOf(card: { number: string; cvc: string }): Promise<string> {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser, card);
  const { data } = (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: key }))
    .body;
  const [payment] = await until(
    () => adyen.payments(`reference=${data[0].id}`),
    (list) => list.length > 0,
  );
  return (payment as unknown as { merchantAccount: string }).merchantAccount;
}

test("each card is charged over the assignment that accepts its network", async () => {
  assert.equal(await merchantAccountOf(approvedCard), "FieldwareECOM");
  assert.equal(await merchantAccountOf(mastercard), "FieldwareMC");
});

test("402: a card of a network that no assignment accepts is neither stored nor charged", async () => {
  const browser = await createCheckout(shop, {}, key);
  const typed = await browser.type(amex.number, { cvc: amex.cvc });
  assert.deepEqual([typed.status, typed.body.error.decline_code], [402, "card_not_supported"]);
  const { data } = (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: key }))
    .body;
  assert.deepEqual(data, []);
});

test("400: a saved card that no assignment accepts any more is not charged", async () => {
  const customer = (await shop.post("/customers", { email: "ada@example.com" }, { as: key })).body;
  const browser = await createCheckout(
    shop,
    { customer_id: customer.id, save_payment_method: true },
    key,
  );
  const stored = await browser.type(mastercard.number, { cvc: mastercard.cvc });
  await browser.confirm(stored.body.payment_method_id, undefined, true);
  const { data } = await until(
    async () => (await shop.get(`/payment_methods?customer_id=${customer.id}`, { as: key })).body,
    (list) => list.data.length === 1,
  );
  const body = { amount: 1999, currency: "usd", payment_method_id: data[0].id, off_session: true };
  assert.equal((await shop.post("/charges", body, { as: key })).status, 201);
  await operator.send("POST", `/operator/v1/assignments/${second.body.id}/end`, {
    version: second.body.version,
    reason,
  });
  const rejected = await shop.post("/charges", body, { as: key });
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "card_unsupported",
    "payment_method_id",
  ]);
});

test("an assignment for issuer countries accepts no card whose country is unknown", async () => {
  await change({ countries: ["DE"] });
  const typed = await (await createCheckout(shop, {}, key)).type(approvedCard.number, approvedCard);
  assert.deepEqual([typed.status, typed.body.error.decline_code], [402, "card_not_supported"]);
  await change({ countries: null });
  assert.equal(await merchantAccountOf(approvedCard), "FieldwareECOM");
});
