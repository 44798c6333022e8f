import assert from "node:assert/strict";
import { test } from "node:test";
import { ledgerOwed } from "../adyen-ledgers.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { approvedCard, connectStripe, startStripeShop, stripeAccount } from "../stripe.ts";
import { minute, skipEndOfDay } from "../test-clock.ts";
import { until } from "../until.ts";

const { stripe, shop } = await startStripeShop();
// Advances Stripe's clock with the shop's, because the service rejects a notification whose time is 5 minutes off.
await stripe.control("POST clock", { advanceMs: skipEndOfDay(shop.clock) });
const { key, account } = await connectStripe(shop, stripe);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const [connection] = (await operator.send("GET", "/operator/v1/connections")).body.data;

const get = async (path: string) => (await shop.get(path, { as: key })).body;

/** Pays in a new session, and returns the charge. */
async function pay(params: object = {}) {
  const browser = await createCheckout(shop, params, key);
  const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  const { data } = await get("/charges?limit=1");
  assert.equal(data[0]?.checkout_session_id, browser.session, confirmed.text);
  return data[0];
}

type Payout = { readonly id: string; readonly amount: number };

/** Pays out the balance at Stripe, and waits until the report of the payout is applied. */
async function payOut(): Promise<{ payout: Payout; report: Record<string, unknown> }> {
  const { payouts } = await stripe.control<{ payouts: Payout[] }>("POST payouts", {
    account: stripeAccount,
  });
  const [payout] = payouts;
  assert.ok(payout);
  const path = `/operator/v1/connections/${connection.id}/reports`;
  const find = async () =>
    (await operator.send("GET", path)).body.data.find(
      ({ batch }: { batch: string }) => batch === payout.id,
    );
  const report = await until(find, (found) => typeof found?.applied_at === "number");
  return { payout, report };
}

/** Returns the amount that Stripe owes according to the ledger. */
async function owed(): Promise<number> {
  return (await ledgerOwed(shop.app.database.read, [account])).USD ?? 0;
}

async function reconcile() {
  shop.clock.advance(2 * minute);
  const day = shop.clock.now().toISOString().slice(0, 10);
  const { body, text } = await shop.post("/reconciliations", { day }, { as: key });
  assert.ok(body.status, text);
  const { data } = await get("/reconciliation_differences?status=open&status=in_transit");
  return { status: body.status, differences: data };
}

test("a partial capture, which Stripe reports in two lines, is settled with the captured amount", async () => {
  const { id } = await pay({ capture_method: "manual" });
  const captured = await shop.post(`/charges/${id}/capture`, { amount: 1500 }, { as: key });
  assert.equal(captured.body.status, "succeeded", captured.text);
  const { payout, report } = await payOut();
  assert.equal(report.unmatched_lines, 0);
  const [{ unknown, fees, paid_out }] = report.sums as [Record<string, number>];
  assert.deepEqual([unknown, fees, paid_out], [0, 1500 - payout.amount, payout.amount]);
  assert.equal(await owed(), 0);
  assert.deepEqual(await reconcile(), { status: "balanced", differences: [] });
});

test("a payout that fails at the bank is paid with the next one, and the balance is reduced only once", async () => {
  const before = (await get("/balance")).available[0]?.amount ?? 0;
  await pay();
  const { payout: failed } = await payOut();
  await stripe.control(`POST payouts/${failed.id}/fail`);
  await pay();
  const { payout: next, report } = await payOut();
  assert.equal(next.amount, 2 * failed.amount);
  const [{ unknown }] = report.sums as [Record<string, number>];
  assert.equal(unknown, 0);
  assert.equal(await owed(), 0);
  const ourFees = 2 * 88;
  assert.equal((await get("/balance")).available[0]?.amount, before - ourFees);
  assert.deepEqual((await reconcile()).differences, []);
});

test("if a failed payout exceeds the next one, no payout is recorded, and the operator sees a warning", async () => {
  const count = async () => (await get("/payouts?limit=100")).data.length;
  const { id } = await pay();
  const { payout: failed } = await payOut();
  const before = await count();
  await stripe.control(`POST payouts/${failed.id}/fail`);
  const refund = await shop.post("/refunds", { charge_id: id, amount: 1500 }, { as: key });
  assert.equal(refund.body.status, "succeeded", refund.text);
  const { payout: next, report } = await payOut();
  assert.equal(next.amount, failed.amount - 1500);
  assert.match(
    String(report.warning),
    /^The recorded payouts are 0\.00 USD, but the report's payout is -15\.00 USD\./,
  );
  assert.equal(await count(), before);
});

test("an inquiry that Stripe turns into a chargeback is debited, and needs a new response", async () => {
  const owedBefore = await owed();
  await pay();
  const { id: charge } = await pay();
  const { id: payment } = await stripe.paymentOf(charge);
  const { dispute: opened } = await stripe.control<{ dispute: { id: string } }>("POST disputes", {
    payment,
    kind: "inquiry",
  });
  const disputeWhere = (isReached: (dispute: Record<string, unknown>) => boolean) =>
    until(
      async () => (await get(`/disputes?charge_id=${charge}`)).data[0] ?? {},
      (found) => isReached(found),
    );
  const { id } = await disputeWhere(({ is_inquiry }) => is_inquiry === true);
  const evidence = { product_description: "A blue mug." };
  const respond = () => shop.post(`/disputes/${id}/evidence`, evidence, { as: key });
  const statusAtStripe = async () =>
    (await stripe.control<{ disputes: { status: string }[] }>(`GET disputes?id=${opened.id}`))
      .disputes[0]?.status;
  assert.equal((await respond()).body.status, "under_review");
  await until(statusAtStripe, (status) => status === "warning_under_review");

  await stripe.control(`POST disputes/${opened.id}/escalate`);
  const escalated = await disputeWhere(({ is_inquiry }) => is_inquiry === false);
  assert.deepEqual(
    [escalated.status, escalated.funds_withdrawn, escalated.amount],
    ["needs_response", true, 1999],
  );
  const refund = await shop.post("/refunds", { charge_id: charge }, { as: key });
  assert.equal(refund.status, 400, refund.text);
  const { data: events } = await get("/events?type=dispute.opened&limit=10");
  const ofDispute = events.filter(
    ({ data }: { data: { object: { id: string } } }) => data.object.id === id,
  );
  assert.equal(ofDispute.length, 2);

  assert.equal((await respond()).body.status, "under_review");
  await until(statusAtStripe, (status) => status === "under_review");
  await payOut();
  assert.equal(await owed(), owedBefore);
  assert.deepEqual((await reconcile()).differences, []);
});
