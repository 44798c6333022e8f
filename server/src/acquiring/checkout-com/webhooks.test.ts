import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { OpenConnection } from "../connections/connection-directory.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { StoredItem } from "../verified-notification.ts";
import {
  disputeEvents,
  notificationOf,
  paymentEvents,
  shownFieldsOf,
  verifyNotifications,
} from "./webhooks.ts";

const now = new Date("2026-11-27T12:00:00Z");
const current = "the current signature key";
const previous = "the previous signature key";
const charge = "ch_01jbqw3e4r5t6y7z8x9cvbnmas";
const operation = "op_01jbqw3e4r5t6y7z8x9cvbnmas";
const channel = "pc_fieldwarefieldwarefieldware";

const secretsWith = (hmacKey: string) => ({
  apiKey: new AcquirerSecret("sk_unused"),
  hmacKey: new AcquirerSecret(hmacKey),
});

/** Returns a connection whose previous key is valid until `previousUntil`. */
const open = (previousUntil: Date | null, environment: "live" | "sandbox") =>
  ({
    connection: {
      environment,
      settings: { merchantAccount: "pc_own" },
      secrets: { previousUntil },
    },
    secrets: secretsWith(current),
    previousSecrets: secretsWith(previous),
  }) as unknown as OpenConnection;

const sign = (body: string, key: string) => createHmac("sha256", key).update(body).digest("hex");

function verify(
  body: string,
  signature: string | undefined,
  previousUntil: Date | null = null,
  environment: "live" | "sandbox" = "live",
) {
  const headers = signature === undefined ? {} : { "cko-signature": signature };
  return verifyNotifications(open(previousUntil, environment), { body, headers }, now);
}

/** The example of `payment_approved` (checkout.com/docs, event types), shortened. */
const data = {
  id: "pay_mxkr3g274n2efiqvk2iwedti4u",
  action_id: "act_nojdp5axaopetpfp4h6qsf3lpm",
  reference: charge,
  amount: 1999,
  currency: "EUR",
  auth_code: "344736",
  response_code: "10000",
  response_summary: "Approved",
  scheme_id: "659007748336320",
  source: { scheme: "VISA", last_4: "4242", card_type: "CREDIT", issuer_country: "GB" },
  metadata: { florin_channel: channel },
};

const bodyOf = (type: string, change: object = {}, more: object = {}) =>
  JSON.stringify({
    id: "evt_1",
    type,
    created_on: "2026-11-27T11:59:59.1234567Z",
    data: { ...data, ...change },
    ...more,
  });

function read(type: string, change: object = {}, more: object = {}) {
  const body = bodyOf(type, change, more);
  const verified = verify(body, sign(body, current));
  assert.ok(verified.kind === "verified");
  const [first] = verified.notifications;
  // Postgres stores the item as JSON.
  const item = JSON.parse(JSON.stringify(first?.item)) as StoredItem;
  return { ...notificationOf(item, now), item };
}

test("the signature of the whole body is verified with the current key", () => {
  const body = bodyOf("payment_approved");
  const verified = verify(body, sign(body, current));
  assert.ok(verified.kind === "verified" && verified.isCurrent);
  assert.equal(verify(body, sign(body, current).toUpperCase()).kind, "verified");
  for (const signature of [undefined, "", "00", sign(`${body} `, current), sign(body, "other")]) {
    assert.equal(verify(body, signature).kind, "forged", String(signature));
  }
});

test("the previous key is accepted until it expires", () => {
  const body = bodyOf("payment_approved");
  const signature = sign(body, previous);
  const accepted = verify(body, signature, new Date(now.getTime() + 1));
  assert.ok(accepted.kind === "verified" && !accepted.isCurrent);
  assert.equal(verify(body, signature, now).kind, "forged");
  assert.equal(verify(body, signature).kind, "forged");
});

test("a signed body that is not an event is malformed", () => {
  for (const body of ["", "[]", "{}", '{"id":"evt_1"}', '{"type":"payment_approved"}']) {
    assert.equal(verify(body, sign(body, current)).kind, "malformed", body);
  }
});

test("an approval names the channel, the charge, the payment and the amount", () => {
  const { item, event, ...notification } = read("payment_approved");
  assert.deepEqual(notification, {
    eventCode: "payment_approved",
    live: true,
    merchantAccount: channel,
    reference: charge,
    acquirerReference: data.action_id,
    paymentReference: data.id,
    price: { amountMinor: 1999, currency: "eur" },
    createdAt: new Date("2026-11-27T11:59:59.123Z"),
  });
  assert.ok(event.kind === "authorization" && event.outcome.kind === "approved");
  assert.equal(event.outcome.approvedMinor, 1999);
  assert.equal(event.outcome.details.networkTransactionId, "659007748336320");
  assert.equal(event.outcome.details.card.last4, "4242");
  assert.equal(shownFieldsOf(item).payment_id, data.id);
});

test("a network transaction ID in the form of a card number is not stored", () => {
  const { item, event } = read("payment_approved", { scheme_id: "371449635398431" });
  assert.ok(!JSON.stringify(item).includes("371449635398431"));
  assert.ok(event.kind === "authorization");
  assert.equal(event.outcome.details.networkTransactionId, null);
});

test("an event belongs to the sandbox if its connection does, or if its link names the sandbox", () => {
  const body = bodyOf("payment_approved");
  const verified = verify(body, sign(body, current), null, "sandbox");
  assert.ok(verified.kind === "verified");
  assert.equal(notificationOf(verified.notifications[0]?.item as StoredItem, now).live, false);
  const self = (host: string) => ({ _links: { self: { href: `https://${host}/workflows` } } });
  assert.equal(read("payment_approved", {}, self("x.api.sandbox.checkout.com")).live, false);
  assert.equal(read("payment_approved", {}, self("x.api.checkout.com")).live, true);
});

test("a decline has our code", () => {
  const { event } = read("payment_declined", { response_code: "20051" });
  assert.ok(event.kind === "authorization" && event.outcome.kind === "declined");
  assert.equal(event.outcome.code, "insufficient_funds");
});

test("the events of our operations have their results", () => {
  for (const [type, kind, succeeded] of [
    ["payment_captured", "capture", true],
    ["payment_capture_declined", "capture", false],
    ["payment_voided", "cancellation", true],
    ["payment_void_declined", "cancellation", false],
    ["payment_refunded", "refund", true],
    ["payment_refund_declined", "refund", false],
  ] as const) {
    const { event, reference } = read(type, { reference: operation });
    assert.equal(reference, operation);
    assert.deepEqual(
      [event.kind, "succeeded" in event && event.succeeded],
      [kind, succeeded],
      type,
    );
  }
});

test("the events of a reversal name the charge", () => {
  const reversal = charge.replace("ch_", "rv_");
  for (const [type, succeeded, executedAs] of [
    ["payment_voided", true, "cancellation"],
    ["payment_void_declined", false, "cancellation"],
    ["payment_refunded", true, "refund"],
    ["payment_refund_declined", false, "refund"],
  ] as const) {
    const { event, reference } = read(type, { reference: reversal });
    assert.equal(reference, charge);
    assert.ok(event.kind === "reversal", type);
    assert.deepEqual([event.succeeded, event.executedAs], [succeeded, executedAs]);
  }
});

test("an action with the charge's own reference is not one of our operations", () => {
  assert.deepEqual(read("payment_captured").event, { kind: "ignored" });
  assert.equal(read("payment_capture_declined").event.kind, "capture_failed");
  assert.deepEqual(read("payment_voided").event, { kind: "authorization_expired" });
  assert.deepEqual(read("payment_expired").event, { kind: "authorization_expired" });
  assert.equal(read("payment_refunded").event.kind, "refund");
});

test("a dispute names the charge, its reason and its deadline", () => {
  const { event, ...notification } = read("dispute_evidence_required", {
    id: "dsp_9rjdlsd4epepfjyyf9vl",
    category: "product_service_not_received",
    reason_code: "13.1",
    payment_id: data.id,
    payment_reference: charge,
    reference: undefined,
    metadata: undefined,
    processing_channel_id: channel,
    evidence_required_by: "2026-12-11T18:00:00+00:00",
  });
  assert.deepEqual(
    [notification.reference, notification.acquirerReference, notification.paymentReference],
    [charge, "dsp_9rjdlsd4epepfjyyf9vl", data.id],
  );
  assert.equal(notification.merchantAccount, channel);
  assert.ok(event.kind === "dispute");
  assert.deepEqual(
    [event.state, event.disputeReason, event.reasonCode, event.defensePeriodEndsAt],
    ["open", "product_not_received", "13.1", new Date("2026-12-11T18:00:00Z")],
  );
});

test("only a settlement report is announced, and an event without a channel belongs to the connection's channel", () => {
  const report = { report_id: "rpt_1", id: undefined, metadata: undefined, tags: ["payout_id:P1"] };
  const found = read("report_generated", { ...report, report_type: "FinancialActions" });
  assert.deepEqual(found.event, { kind: "report_available", url: null });
  assert.deepEqual([found.acquirerReference, found.merchantAccount], ["rpt_1", "pc_own"]);
  assert.equal(
    read("report_generated", { ...report, report_type: "Payouts" }).event.kind,
    "ignored",
  );
});

test("every event in the tables has an effect, and every other event is ignored", () => {
  const effects = (type: string) =>
    [charge, operation].some(
      (reference) =>
        read(type, { reference, payment_reference: charge, report_type: "FinancialActions" }).event
          .kind !== "ignored",
    );
  for (const type of [...Object.keys(paymentEvents), ...Object.keys(disputeEvents)]) {
    assert.ok(effects(type), type);
  }
  for (const type of ["payment_pending", "payment_capture_pending", "dispute_received"]) {
    assert.ok(!effects(type), type);
  }
});
