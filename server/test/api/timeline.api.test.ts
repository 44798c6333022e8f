import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import type { ChargeTimeline, LedgerTransfer, TimelineEntry } from "@florin/contract/timeline.ts";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { feeFor } from "../../src/payments/ledger/posting-rules.ts";
import { createCheckout } from "../checkout.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop();
const receiver = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
after(async () => {
  await shop.close();
  receiver.close();
});

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const timeline = async (id: string): Promise<ChargeTimeline> =>
  (await shop.get(`/charges/${id}/timeline`)).body;
const steps = ({ entries }: ChargeTimeline) =>
  entries.map(({ type, status, amount }: TimelineEntry) => [type, status, amount]);

test("200: a captured, refunded and disputed charge lists each step in order", async () => {
  const manualCharge = { ...visa, capture_method: "manual" };
  const { body: charge } = await shop.post("/charges", manualCharge, { key: "timeline 1" });
  shop.clock.advance(1_000);
  await shop.post(`/charges/${charge.id}/capture`, { amount: 1500 });
  shop.clock.advance(1_000);
  const { body: refund } = await shop.post("/refunds", { charge_id: charge.id, amount: 500 });
  shop.clock.advance(1_000);
  await shop.post("/test_helpers/disputes", { charge_id: charge.id, reason: "fraudulent" });
  const reported = await until(
    () => timeline(charge.id),
    ({ entries }) => entries.at(-1)?.type === "dispute.opened",
  );
  assert.deepEqual(steps(reported), [
    ["charge.requested", "processing", 1999],
    ["decision.made", "approve", 1999],
    ["payment.authorized", "authorized", 1999],
    ["capture.requested", "succeeded", 1500],
    ["payment.captured", "succeeded", 1500],
    ["payment.succeeded", "succeeded", 1500],
    ["refund.requested", "succeeded", 500],
    ["refund.succeeded", "succeeded", 500],
    ["dispute.opened", "needs_response", 1000],
  ]);
  assert.equal(reported.entries[0]?.idempotency_key, "timeline 1");
  const { entries } = await until(
    () => timeline(charge.id),
    (later) => later.entries[0]?.actor !== null,
  );
  assert.deepEqual(
    [entries[0]?.actor?.type, entries[0]?.actor?.name, entries[1]?.actor],
    ["api_key", "A key", null],
  );
  assert.equal(reported.entries[6]?.object_id, refund.id);
  assert.equal(reported.entries.at(-1)?.reason, "fraudulent");

  const { body } = await shop.get(`/charges/${charge.id}/ledger`);
  const fee = feeFor(1500, { basisPoints: 290, fixedMinor: 30 });
  assert.deepEqual(
    body.transfers.map(({ kind, debit, credit, amount }: LedgerTransfer) => [
      kind,
      debit,
      credit,
      amount,
    ]),
    [
      ["charge", "acquirer_receivable", "merchant_balance", 1500],
      ["fee", "merchant_balance", "fee_income", fee],
      ["refund", "merchant_balance", "acquirer_receivable", 500],
      ["dispute", "merchant_balance", "dispute_reserve", 1000],
      ["dispute_fee", "merchant_balance", "fee_income", 1500],
    ],
  );
  assert.equal(body.transfers[2].source, refund.id);
});

test("200: a decline shows its reason, and its event is placed by time, even if the test clock has moved", async () => {
  const { body } = await shop.post("/charges", {
    ...visa,
    payment_method_id: "pm_card_visa_chargeDeclinedInsufficientFunds",
  });
  const reported = await timeline(body.error.charge);
  assert.deepEqual(steps(reported).at(-1), ["payment_failed", "failed", 1999]);
  assert.equal(reported.entries.at(-1)?.reason, "insufficient_funds");

  const { body: paid } = await shop.post("/charges", visa);
  assert.deepEqual(steps(await timeline(paid.id)).at(-1), ["payment.succeeded", "succeeded", 1999]);
  await shop.post("/test_helpers/clock/advance", { seconds: 86_400 });
  assert.deepEqual(steps(await timeline(paid.id)).at(-1), ["payment.succeeded", "succeeded", 1999]);
});

test("200: the outcome of a payment is shown after its events have been deleted", async () => {
  const { body } = await shop.post("/charges", { ...visa, capture_method: "manual" });
  await shop.post(`/charges/${body.id}/capture`, { amount: 1500 });
  await shop.app.database.transaction(
    (tx) => tx`delete from events where object_id = ${uuidOf(body.id)}`,
  );
  const reported = await timeline(body.id);
  assert.deepEqual(steps(reported), [
    ["charge.requested", "processing", 1999],
    ["decision.made", "approve", 1999],
    ["capture.requested", "succeeded", 1500],
    ["payment.succeeded", "succeeded", 1500],
  ]);
  assert.equal(reported.entries.at(-1)?.event_id, null);
});

test("200: a session lists its attempts side by side, and its completion on the successful one", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4000000000000002");
  shop.clock.advance(1_000);
  await browser.pay("4242424242424242");
  const { body } = await shop.get(`/checkout_sessions/${browser.session}`);
  const reported = await timeline(body.charge_id);
  assert.deepEqual(
    reported.attempts.map(({ last4, status, decline_code }) => [last4, status, decline_code]),
    [
      ["0002", "failed", "generic_decline"],
      ["4242", "succeeded", null],
    ],
  );
  assert.deepEqual(
    reported.entries
      .slice(-2)
      .map(({ type }) => type)
      .toSorted(),
    ["checkout_session.completed", "payment.succeeded"],
  );
});

test("200: a timeline shows the webhook deliveries of its payment only", async () => {
  const { port } = receiver.address() as { port: number };
  const { body: endpoint } = await shop.post("/webhook_endpoints", {
    url: `http://127.0.0.1:${port}/`,
    enabled_events: ["*"],
  });
  const [{ body: one }] = await Promise.all([
    shop.post("/charges", visa),
    shop.post("/charges", visa),
  ]);
  const { deliveries, entries } = await until(
    () => timeline(one.id),
    (reported) =>
      reported.deliveries.length > 0 &&
      reported.deliveries.every(({ status }) => status === "succeeded"),
  );
  assert.deepEqual(
    deliveries.map(({ event_type, endpoint_id, attempts }) => [event_type, endpoint_id, attempts]),
    [["payment.succeeded", endpoint.id, 1]],
  );
  assert.equal(deliveries[0]?.event_id, entries.at(-1)?.event_id);
});

test("404: another merchant's charge and an unknown one have neither timeline nor ledger entries", async () => {
  const { body } = await shop.post("/charges", visa);
  for (const path of ["timeline", "ledger"]) {
    for (const [id, as] of [
      [body.id, shop.otherMerchant.key],
      [newId("ch", shop.clock.now()), shop.merchant.key],
    ]) {
      const reply = await shop.get(`/charges/${id}/${path}`, { as });
      assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "resource_missing", "id"]);
    }
  }
});
