import assert from "node:assert/strict";
import { test } from "node:test";
import Stripe from "stripe";
import type { OpenConnection } from "../connections/connection-directory.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { StoredItem } from "../verified-notification.ts";
import { notificationOf, shownFieldsOf, verifyNotifications } from "./webhooks.ts";

/* The official package signs the events, so that the tests do not depend on our own reading of the format. */
const { webhooks } = new Stripe("sk_test_unused");
const now = new Date("2026-11-25T12:00:00Z");
const seconds = now.getTime() / 1000;
const current = "whsec_current_secret";
const previous = "whsec_previous_secret";
const charge = "ch_01jbqw3e4r5t6y7z8x9cvbnmas";
const operation = "op_01jbqw3e4r5t6y7z8x9cvbnmas";

const secretsWith = (hmacKey: string) => ({
  apiKey: new AcquirerSecret("sk_test_unused"),
  hmacKey: new AcquirerSecret(hmacKey),
});

/** Returns a connection whose previous secret is valid until `previousUntil`. */
const open = (previousUntil: Date | null) =>
  ({
    connection: { settings: { merchantAccount: "acct_own" }, secrets: { previousUntil } },
    secrets: secretsWith(current),
    previousSecrets: secretsWith(previous),
  }) as unknown as OpenConnection;

function eventOf(type: string, object: object, more: object = {}): string {
  const event = { id: "evt_1", object: "event", type, created: seconds, livemode: false };
  return JSON.stringify({ ...event, data: { object }, ...more });
}

const headerOf = (payload: string, secret: string, timestamp = seconds) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp });

function verify(body: string, signature: string, previousUntil: Date | null = null) {
  const headers = { "stripe-signature": signature };
  return verifyNotifications(open(previousUntil), { body, headers }, now);
}

/** Returns the notification of an event that the official package has signed. */
function read(type: string, object: object, more: object = {}) {
  const body = eventOf(type, object, more);
  const verified = verify(body, headerOf(body, current));
  assert.equal(verified.kind, "verified");
  const [first] = verified.kind === "verified" ? verified.notifications : [];
  // Postgres stores the item as JSON.
  const item = JSON.parse(JSON.stringify(first?.item)) as StoredItem;
  return { ...notificationOf(item, now), item };
}

const intent = {
  id: "pi_1",
  object: "payment_intent",
  amount: 1999,
  amount_received: 1999,
  currency: "eur",
  capture_method: "automatic",
  status: "succeeded",
  metadata: { florin_charge: charge },
};

test("an event is accepted with the current secret, and with the previous one until it expires", () => {
  const body = eventOf("payment_intent.succeeded", intent);
  const later = new Date(now.getTime() + 1);
  const byCurrent = verify(body, headerOf(body, current));
  assert.deepEqual(
    [byCurrent.kind, "isCurrent" in byCurrent && byCurrent.isCurrent],
    ["verified", true],
  );
  const byPrevious = verify(body, headerOf(body, previous), later);
  assert.deepEqual(
    [byPrevious.kind, "isCurrent" in byPrevious && byPrevious.isCurrent],
    ["verified", false],
  );
  assert.equal(verify(body, headerOf(body, previous), now).kind, "forged");
  // During a rotation, Stripe signs with the old and the new secret.
  const [, own] = headerOf(body, current).split(",");
  assert.equal(verify(body, `${headerOf(body, "whsec_other")},${own}`).kind, "verified");
});

test("401: a changed, unsigned or old event is rejected", () => {
  const body = eventOf("payment_intent.succeeded", intent);
  const changed = body.replace("1999", "1998");
  assert.equal(verify(changed, headerOf(body, current)).kind, "forged");
  assert.equal(verify(body, headerOf(body, current, seconds - 301)).kind, "forged");
  assert.equal(verify(body, headerOf(body, current, seconds - 299)).kind, "verified");
  for (const header of ["", "t=1", `t=${seconds},v1=`, `v1=${"0".repeat(64)}`, "v0=a,t=b"]) {
    assert.equal(verify(body, header).kind, "forged", header);
  }
  const text = "not json";
  assert.equal(verify(text, headerOf(text, current)).kind, "malformed");
});

test("a sale, a hold, a capture and a decline have our reference and their amount", () => {
  const sale = read("payment_intent.succeeded", intent);
  assert.deepEqual(
    [sale.reference, sale.merchantAccount, sale.price, sale.event.kind],
    [charge, "acct_own", { amountMinor: 1999, currency: "eur" }, "authorization"],
  );
  const held = { ...intent, capture_method: "manual" };
  const hold = read("payment_intent.amount_capturable_updated", {
    ...held,
    status: "requires_capture",
    amount_capturable: 1999,
    amount_received: 0,
  });
  assert.deepEqual([hold.event.kind, hold.price?.amountMinor], ["authorization", 1999]);
  const capture = read("payment_intent.succeeded", {
    ...held,
    amount_received: 700,
    metadata: { florin_charge: charge, florin_operation: operation },
  });
  assert.deepEqual(
    [capture.event.kind, capture.reference, capture.price?.amountMinor],
    ["capture", operation, 700],
  );
  const { event } = read("payment_intent.payment_failed", {
    ...intent,
    status: "requires_payment_method",
    last_payment_error: { code: "card_declined", decline_code: "insufficient_funds" },
  });
  assert.equal(event.kind === "authorization" && event.outcome.kind, "declined");
});

test("a refund is reported when it succeeds or fails, and is a reversal if it has a charge's reference", () => {
  const refund = {
    id: "re_1",
    object: "refund",
    amount: 700,
    currency: "eur",
    payment_intent: "pi_1",
  };
  const ours = { ...refund, metadata: { florin_operation: operation } };
  const kindOf = (type: string, object: object) => read(type, object).event.kind;
  assert.equal(kindOf("refund.created", { ...ours, status: "pending" }), "ignored");
  assert.equal(kindOf("refund.updated", { ...ours, status: "succeeded" }), "refund");
  assert.equal(kindOf("refund.failed", { ...ours, status: "failed" }), "refund_failed");
  const ofCharge = { ...refund, status: "succeeded", metadata: { florin_charge: charge } };
  assert.equal(kindOf("refund.created", ofCharge), "reversal");
});

test("a dispute does not contain Florin's reference, and its status is mapped to Florin's", () => {
  const dispute = {
    id: "du_1",
    object: "dispute",
    amount: 1999,
    currency: "eur",
    payment_intent: "pi_1",
    metadata: {},
    reason: "product_not_received",
    network_reason_code: "13.1",
    evidence_details: { due_by: seconds + 60 },
  };
  const stateOf = (type: string, status: string) => {
    const { event, reference, paymentReference } = read(type, { ...dispute, status });
    assert.deepEqual([reference, paymentReference], [null, "pi_1"]);
    return event.kind === "dispute" ? `${event.stage} ${event.state}` : event.kind;
  };
  assert.equal(stateOf("charge.dispute.created", "needs_response"), "chargeback open");
  assert.equal(stateOf("charge.dispute.created", "warning_needs_response"), "inquiry open");
  assert.equal(stateOf("charge.dispute.updated", "warning_needs_response"), "ignored");
  assert.equal(stateOf("charge.dispute.updated", "needs_response"), "chargeback open");
  assert.equal(stateOf("charge.dispute.funds_withdrawn", "needs_response"), "chargeback open");
  assert.equal(stateOf("charge.dispute.updated", "under_review"), "chargeback responded");
  assert.equal(stateOf("charge.dispute.closed", "won"), "chargeback won");
  assert.equal(stateOf("charge.dispute.closed", "lost"), "chargeback lost");
  assert.equal(stateOf("charge.dispute.closed", "warning_closed"), "inquiry won");
});

test("the event of a connected account has that account, and the stored item has no personal data", () => {
  const billed = { ...intent, receipt_email: "zoe@example.com", shipping: { name: "Zoë" } };
  const { merchantAccount, item } = read("payment_intent.succeeded", billed, { account: "acct_2" });
  assert.equal(merchantAccount, "acct_2");
  assert.doesNotMatch(JSON.stringify([item, shownFieldsOf(item)]), /zoe|Zoë/);
  assert.equal(read("product.created", { id: "prod_1" }).event.kind, "ignored");
});
