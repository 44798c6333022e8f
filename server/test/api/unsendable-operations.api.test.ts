import assert from "node:assert/strict";
import { test } from "node:test";
import { listAllAssignments } from "../../src/acquiring/connections/assignment.sql.ts";
import { retireConnection } from "../../src/acquiring/connections/change-connection.ts";
import { createConnectionDirectory } from "../../src/acquiring/connections/connection-directory.ts";
import { connectors } from "../../src/acquiring/connectors.ts";
import { readAwaited } from "../../src/payments/inquiries/awaited.sql.ts";
import type { Sql } from "../../src/platform/database/sql.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { queueBehind } from "../queue-behind.ts";
import { errorOf } from "../shop.ts";
import {
  approvedCard,
  connectStripe,
  secretKey,
  startStripeShop,
  stripeAccount,
} from "../stripe.ts";
import { until } from "../until.ts";

/** Tests captures, cancellations and refunds that the acquirer of the charge cannot execute. */
const { stripe, shop } = await startStripeShop();
const { key } = await connectStripe(shop, stripe);

const read = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;
const post = (path: string, body: object) => shop.post(path, body, { as: key });

/** Pays in the card form. Returns the charge's ID. */
async function pay(params: object): Promise<string> {
  const browser = await createCheckout(shop, params, key);
  const { body } = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  const confirmed = await browser.confirm(body.payment_method_id);
  const { data } = (await shop.get("/charges?limit=10", { as: key })).body;
  const charge = data.find(
    (one: { checkout_session_id: string }) => one.checkout_session_id === browser.session,
  );
  assert.ok(charge, confirmed.text);
  return charge.id;
}

test("400: rejects a capture and a refund whose last decimal Stripe does not accept, and names the unit", async () => {
  const dinars = { amount: 10_000, currency: "kwd" };
  const held = await pay({ ...dinars, capture_method: "manual" });
  const sold = await pay(dinars);
  for (const rejected of [
    await post(`/charges/${held}/capture`, { amount: 1_233 }),
    await post("/refunds", { charge_id: sold, amount: 1_233 }),
  ]) {
    assert.deepEqual(
      [rejected.status, ...errorOf(rejected).slice(2, 4)],
      [400, "parameter_invalid", "amount"],
      rejected.text,
    );
    assert.match(
      rejected.body.error.message,
      /must be a multiple of 10, the smallest unit of 'kwd' .* Got 1233\./,
    );
  }
  assert.equal((await read(held)).status, "authorized");
  assert.equal((await read(sold)).amount_refunded, 0);

  assert.equal((await post(`/charges/${held}/capture`, { amount: 1_230 })).status, 200);
  assert.equal((await post("/refunds", { charge_id: sold, amount: 1_230 })).status, 201);
  assert.equal((await stripe.paymentOf(held)).capturedAmount, 1_230);
  assert.equal((await stripe.paymentOf(sold)).refundedAmount, 1_230);
});

test("400: names the unit of the amounts that the acquirers of a new charge accept", async () => {
  const rejected = await post("/checkout_sessions", { amount: 1_233, currency: "kwd" });
  assert.equal(errorOf(rejected)[2], "currency_unsupported", rejected.text);
  assert.match(rejected.body.error.message, /amount 1233 in 'kwd'\. Send a multiple of 10/);
});

test("a charge whose payment is already canceled at Stripe can be canceled", async () => {
  const held = await pay({ capture_method: "manual" });
  const { id } = await stripe.paymentOf(held);
  const canceled = await fetch(`${stripe.url}/v1/payment_intents/${id}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}` },
  });
  assert.equal(canceled.status, 200, await canceled.text());
  const { body } = await post(`/charges/${held}/cancel`, {});
  assert.equal(body.status, "canceled", JSON.stringify(body));
});

test("a connection whose secrets cannot be decrypted is not retired", async () => {
  const { database } = shop.app;
  const [assignment] = await listAllAssignments(database.read);
  assert.ok(assignment);
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const directory = createConnectionDirectory({
    database,
    changes: { position: () => 0, isCurrent: () => true },
    keys: { ...keys, unwrap: () => Promise.reject(new Error("The KMS is not available.")) },
    environment: "sandbox",
    onError: () => undefined,
  });
  await directory.reload();
  assert.equal(directory.assigned(assignment.id), null);
  assert.equal(directory.isRetired(assignment.id), false);
});

test("a connection with an authorized charge is not retired, and a charge is not refunded while or after its connection is retired", async () => {
  const sold = await pay({});
  const held = await pay({ capture_method: "manual" });
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const { data } = (await operator.send("GET", "/operator/v1/assignments")).body;
  const [{ id, version, connection }] = data;
  const reason = "Replaced by another connection.";
  await operator.send("POST", `/operator/v1/assignments/${id}/end`, { version, reason });
  await connections.change("POST", connection, "drain");
  const early = await connections.change("POST", connection, "retire");
  assert.equal(errorOf(early)[2], "status_transition_invalid", early.text);
  assert.match(early.body.error.message, /authorized charges, .* \(1\)/);

  assert.equal((await post(`/charges/${held}/cancel`, {})).body.status, "canceled");
  const { database } = shop.app;
  const { settlesWithinMs } = connectors.stripe;
  const awaited = (read: Sql) =>
    readAwaited(read, connection, { settlesWithinMs, now: shop.clock.now() });
  await stripe.control("POST payouts", { account: stripeAccount });
  await until(
    () => awaited(database.read),
    (use) => Object.values(use).every((count) => count === 0),
  );
  const seen = (await connections.read(connection)).body.version;
  const [during] = await queueBehind(database, {
    lock: (tx) => retireConnection(tx, connection, seen, awaited),
    statement: "processor_connections",
    requests: [() => post("/refunds", { charge_id: sold, amount: 100 })],
  });
  assert.ok(during);
  const refund = await post("/refunds", { charge_id: sold, amount: 100 });
  for (const { status, body, text } of [during, refund]) {
    assert.deepEqual(
      [status, body.error?.code, body.error?.charge],
      [400, "connector_not_configured", sold],
      text,
    );
  }
  assert.equal((await read(sold)).amount_refunded, 0);
  const { data: refunds } = (await shop.get(`/refunds?charge_id=${sold}`, { as: key })).body;
  assert.deepEqual(refunds, []);
});
