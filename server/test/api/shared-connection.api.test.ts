import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { connectAdyen, type LiveMerchant, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf, until } from "../shop.ts";

/*
 * Two merchants share a connection that has a rate limit. One of them sends far more charges than the limit allows,
 * with several keys. Each of the service's processes gets a part of the requests.
 */
const limit = 5;
const { adyen, shop } = await startAdyenShop({
  processes: 2,
});
const { connection, ...noisy } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const quiet = await assignAnother();
const connections = createConnectionClient(shop, operator);
const cards = { noisy: await saveCard(noisy.key), quiet: await saveCard(quiet.key) };
const limited = await connections.change("PATCH", connection, "", { requests_per_second: limit });
assert.equal(limited.status, 200, limited.text);
// The change takes effect in all processes within a second.
await sleep(1_500);

async function assignAnother(): Promise<LiveMerchant> {
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection,
    merchant_account: "FieldwareECOM",
    mcc: "5941",
    priority: 1,
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return { account, key: (await shop.issueKey(account, true)).secret };
}

async function saveCard(as: SecretKey): Promise<string> {
  const { id } = (await shop.post("/customers", { email: "ada@example.com" }, { as })).body;
  const browser = await createCheckout(shop, { customer_id: id, save_payment_method: true }, as);
  const typed = await browser.type("4111111111111111", { cvc: "737" });
  const confirmed = await browser.confirm(typed.body.payment_method_id, undefined, true);
  assert.equal(confirmed.status, 200, confirmed.text);
  const methods = await shop.get(`/payment_methods?customer_id=${id}`, { as });
  return methods.body.data[0].id;
}

function charge(as: SecretKey, card: string) {
  const body = { amount: 1999, currency: "usd", payment_method_id: card, off_session: true };
  return shop.post("/charges", body, { as });
}

test("a merchant that exceeds a connection's rate limit fails only its own charges", async () => {
  const before = (await adyen.payments("")).length;
  const started = performance.now();
  const keys = [noisy.key, ...(await otherKeys())];
  let isOver = false;
  const statuses = new Map<number, number>();
  /** Keeps eight requests in flight: each request is followed by the next one as soon as it ends. */
  const flood = Array.from({ length: 8 }, async (_, index) => {
    while (!isOver) {
      const reply = await charge(keys[index % keys.length] as SecretKey, cards.noisy);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (reply.status !== 201) {
        assert.deepEqual(errorOf(reply), [402, "card_error", "processing_error"]);
      }
    }
  });
  await sleep(1_500);
  for (let times = 0; times < 5; times++) {
    const reply = await charge(quiet.key, cards.quiet);
    assert.deepEqual([reply.status, reply.body.status], [201, "succeeded"], reply.text);
    await sleep(300);
  }

  // A capture, cancellation or refund of the merchant does not wait for the merchant's own charges.
  const { data } = (await shop.get("/charges?status=succeeded&limit=1", { as: noisy.key })).body;
  const refund = await shop.post("/refunds", { charge_id: data[0].id }, { as: noisy.key });
  assert.equal(refund.status, 201, refund.text);
  const refunded = await until(
    () => adyen.paymentOf(data[0].id),
    ({ refundedValue }) => refundedValue === 1999,
  );
  assert.equal(refunded.refundedValue, 1999);
  isOver = true;
  await Promise.all(flood);
  const seconds = (performance.now() - started) / 1000;
  const payments = (await adyen.payments("")).length - before;
  assert.ok(payments <= limit * (seconds + 1), `${payments} payments in ${seconds} s`);
  assert.ok((statuses.get(402) ?? 0) > 0, "the merchant did not exceed the limit");
  assert.ok((statuses.get(201) ?? 0) > 5, "the merchant got no share of the limit");
});

async function otherKeys(): Promise<SecretKey[]> {
  const issued = [1, 2, 3].map(() => shop.issueKey(noisy.account, true));
  return (await Promise.all(issued)).map(({ secret }) => secret);
}
