import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop();
const { key } = await connectAdyen(shop, adyen);

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const [{ id }] = (await operator.send("GET", "/operator/v1/connections")).body.data;
const stateOf = async () => (await connections.read(id)).body.state;
const setApiKey = (apiKey: string) => adyen.control("PUT accounts/FieldwareECOM", { apiKey });

/** Pays in a new session. Returns the status of its payment. */
async function payOnce(): Promise<string> {
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const { body } = await shop.get(`/checkout_sessions/${browser.session}`, { as: key });
  return body.payment_status;
}

test("three payments with a revoked API key suspend the connection, until an operator stores a new key", async () => {
  assert.equal(await payOnce(), "paid");
  await setApiKey("another-key");
  for (let payments = 1; payments <= 3; payments++) {
    assert.equal(await stateOf(), "active");
    assert.notEqual(await payOnce(), "paid");
  }
  await until(stateOf, (state) => state === "suspended");
  assert.ok(
    shop.log.some(({ msg, connection }) => /suspended/.test(`${msg}`) && connection === id),
  );
  const { data } = (await operator.send("GET", `/operator/v1/connections/${id}/responses`)).body;
  assert.deepEqual(
    data.slice(0, 3).map(({ outcome, why }: { outcome: string; why: string }) => [outcome, why]),
    Array.from({ length: 3 }, () => ["rejected", "credentials"]),
  );
  const create = () =>
    shop.post("/checkout_sessions", { amount: 1999, currency: "usd" }, { as: key });
  // The process reads the suspended connection again after the commit.
  const { body } = await until(create, ({ status }) => status === 400);
  assert.equal(body.error?.code, "connector_not_configured");

  const replaced = await connections.change("PUT", id, "secrets", { api_key: "another-key" });
  assert.equal(replaced.status, 200, replaced.text);
  assert.equal((await connections.change("POST", id, "resume")).body.state, "active");
  assert.equal(await payOnce(), "paid");
});
