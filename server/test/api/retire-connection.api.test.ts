import assert from "node:assert/strict";
import { test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import type { LiveMerchant } from "../adyen.ts";
import { ledgerOwed } from "../adyen-ledgers.ts";
import { createCheckout } from "../checkout.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { approvedCard, connectStripe, startStripeShop, stripeAccount } from "../stripe.ts";
import { day, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";

/**
 * A draining connection cannot be retired while the acquirer still has something to report. Its notifications would
 * have no receiver afterwards.
 */
// Runs no checks at the end, because the retention job may already have deleted events after the clock was advanced.
const { stripe, shop } = await startStripeShop({}, (started) => started.close());
await stripe.control("POST clock", { advanceMs: skipEndOfDay(shop.clock) });
const { key, account } = await connectStripe(shop, stripe);
const signIn = async () => {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  return { operator, connections: createConnectionClient(shop, operator) };
};
const { operator, connections } = await signIn();
const [connection] = (await operator.send("GET", "/operator/v1/connections")).body.data;

const get = async (path: string) => (await shop.get(path, { as: key })).body;

async function pay(): Promise<string> {
  const browser = await createCheckout(shop, {}, key);
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  await browser.confirm(stored.body.payment_method_id);
  const [charge] = (await get("/charges?limit=1")).data;
  assert.deepEqual([charge.checkout_session_id, charge.status], [browser.session, "succeeded"]);
  return charge.id;
}

async function payOut(): Promise<{ id: string }> {
  const { payouts } = await stripe.control<{ payouts: { id: string }[] }>("POST payouts", {
    account: stripeAccount,
  });
  const [payout] = payouts;
  assert.ok(payout);
  return payout;
}

const appliedReport = (batch: string) =>
  until(
    async () =>
      (
        await operator.send("GET", `/operator/v1/connections/${connection.id}/reports`)
      ).body.data.find((one: { batch: string }) => one.batch === batch),
    (found) => typeof found?.applied_at === "number",
  );

/** Asserts that the connection is not retired. Waits for the reason, because earlier notifications may be pending. */
async function assertNotRetired(reason: RegExp): Promise<void> {
  await until(
    async () => {
      const early = await connections.change("POST", connection.id, "retire");
      assert.deepEqual([early.status, errorOf(early)[2]], [400, "status_transition_invalid"]);
      return early.body.error.message;
    },
    (message) => reason.test(message),
  );
}

test("a connection is retired only after its payouts, disputes and notifications are recorded, and both ledgers then agree", async () => {
  await pay();
  const disputed = await pay();
  const { id: payment } = await stripe.paymentOf(disputed);
  const { dispute } = await stripe.control<{ dispute: { id: string } }>("POST disputes", {
    payment,
  });
  const disputeOf = async () => (await get(`/disputes?charge_id=${disputed}`)).data[0];
  const { id } = await until(disputeOf, (found) => found !== undefined);

  const { data } = (await operator.send("GET", "/operator/v1/assignments")).body;
  const reason = "Replaced by another connection.";
  const { version } = data[0];
  await operator.send("POST", `/operator/v1/assignments/${data[0].id}/end`, { version, reason });
  assert.equal((await connections.change("POST", connection.id, "drain")).status, 200);

  await assertNotRetired(/open disputes \(1\)/);
  const evidence = { product_description: "A blue mug." };
  const responded = await shop.post(`/disputes/${id}/evidence`, evidence, { as: key });
  assert.equal(responded.body.status, "under_review", responded.text);
  await assertNotRetired(/open disputes \(1\)/);
  await until(
    async () =>
      (await stripe.control<{ disputes: { status: string }[] }>(`GET disputes?id=${dispute.id}`))
        .disputes[0]?.status,
    (status) => status === "under_review",
  );
  await stripe.control(`POST disputes/${dispute.id}/close`, { status: "won" });
  await until(disputeOf, ({ status }) => status === "won");

  await assertNotRetired(/captured payments that no settlement report contains \(2\)/);
  // Stripe does not return the lines of the payout, so the notification of the report waits for the next attempt.
  await stripe.control("POST faults", {
    endpoint: "balance_transactions",
    fault: "html_502",
    times: 1000,
  });
  const { id: payout } = await payOut();
  await until(
    () => shop.app.database.read`
      select from acquirer_notifications
       where state = 'pending' and event_code = 'payout.reconciliation_completed'`,
    (found) => found.length === 1,
  );
  await assertNotRetired(/notifications that have not been applied/);
  await stripe.control("DELETE faults");
  await appliedReport(payout);

  // The other notifications of the payout may not be applied yet.
  await until(
    () => connections.change("POST", connection.id, "retire"),
    ({ body }) => body.state === "retired",
  );
  assert.equal((await ledgerOwed(shop.app.database.read, [account])).USD ?? 0, 0);
  assert.deepEqual((await get("/balance")).pending, [{ currency: "usd", amount: 0 }]);
  const report = await verify(shop.app.database);
  assert.equal(report.violations, 0, printReport(report));
});

/**
 * Connects another merchant. Returns its key, and functions with which the operator drains and retires its connection.
 */
async function connectAnother() {
  const { key, account } = await connectStripe(shop, stripe);
  const { operator } = await signIn();
  const path = `/operator/v1/assignments?account=${account}&state=active`;
  const [{ id, version, connection }] = (await operator.send("GET", path)).body.data;
  return {
    account,
    key,
    connection,
    async drain() {
      const { operator, connections } = await signIn();
      const reason = "The merchant leaves.";
      await operator.send("POST", `/operator/v1/assignments/${id}/end`, { version, reason });
      await connections.change("POST", connection, "drain");
    },
    retire: async () => (await signIn()).connections.change("POST", connection, "retire"),
  };
}

async function payAs(key: LiveMerchant["key"], params = {}): Promise<{ id: string }> {
  const browser = await createCheckout(shop, params, key);
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  await browser.confirm(stored.body.payment_method_id);
  const { data } = (await shop.get("/charges?limit=1", { as: key })).body;
  assert.equal(data[0]?.checkout_session_id, browser.session);
  return data[0];
}

test("a dispute without a response keeps its connection until 180 days after its deadline", async () => {
  const merchant = await connectAnother();
  const { id } = await payAs(merchant.key);
  await stripe.control("POST disputes", { payment: (await stripe.paymentOf(id)).id });
  const dispute = await until(
    async () => (await shop.get(`/disputes?charge_id=${id}`, { as: merchant.key })).body.data[0],
    (found) => found !== undefined,
  );
  assert.equal(dispute.status, "needs_response");
  await merchant.drain();
  const due = dispute.evidence_due_by * 1_000;
  shop.clock.advance(due + 179 * day - shop.clock.now().getTime());
  const early = await merchant.retire();
  assert.match(early.body.error?.message, /open disputes \(1\)/);
  shop.clock.advance(2 * day);
  const late = await merchant.retire();
  assert.equal(late.body.state, "retired", late.text);
});

test("an expired authorization whose cancellation is in manual review does not keep its connection", async () => {
  const merchant = await connectAnother();
  const { id } = await payAs(merchant.key, { capture_method: "manual" });
  const fault = "cut_before_response";
  await stripe.control("POST faults", { endpoint: "cancel", fault, times: 1000 });
  const canceled = await shop.post(`/charges/${id}/cancel`, {}, { as: merchant.key });
  assert.equal(canceled.body.status, "authorized", canceled.text);
  await merchant.drain();
  const early = await merchant.retire();
  assert.match(early.body.error?.message, /authorized charges, .* \(1\)/);
  const changed = await shop.app.database.read`
    update operations set pending_reason = 'manual_review', due_at = null
     where account_id = ${uuidOf(merchant.account)} and kind = 'void' and status = 'processing'
    returning id`;
  assert.equal(changed.length, 1);
  await stripe.control("DELETE faults");
  // Repeats the request, because a notification of the payment may not be applied yet.
  await until(merchant.retire, ({ body }) => body.state === "retired");
});

test("a notification that cannot be applied keeps its connection for 30 days", async () => {
  const merchant = await connectAnother();
  await merchant.drain();
  const now = shop.clock.now();
  await shop.app.database.read`
    insert into acquirer_notifications (id, connection_id, deduplication_key, event_code, item, received_at, due_at)
    values (${uuidOf(newId("ntf", now))}, ${uuidOf(merchant.connection)}, 'broken', 'charge.updated', '{}',
            ${now}, ${new Date(now.getTime() + 365 * day)})`;
  const early = await merchant.retire();
  assert.match(early.body.error?.message, /notifications that have not been applied \(1\)/);
  shop.clock.advance(30 * day + 1);
  const late = await merchant.retire();
  assert.equal(late.body.state, "retired", late.text);
});

test("a payment that the acquirer does not settle within 14 days does not keep its connection", async () => {
  const merchant = await connectAnother();
  await payAs(merchant.key);
  await merchant.drain();
  // Repeats the request, because the notification of the payment may not be applied yet.
  await until(merchant.retire, ({ body }) =>
    /no settlement report contains \(1\)/.test(body.error?.message),
  );
  shop.clock.advance(14 * day);
  const late = await merchant.retire();
  assert.equal(late.body.state, "retired", late.text);
});
