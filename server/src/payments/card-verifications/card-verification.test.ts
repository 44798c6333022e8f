import assert from "node:assert/strict";
import { test } from "node:test";
import { noDetails } from "../../acquiring/outcome.ts";
import { newId } from "../../core/ids.ts";
import { newOpenSession } from "../sessions/checkout-session.fixture.ts";
import { processingVerification } from "./card-verification.fixture.ts";
import { verificationAfter } from "./card-verification.ts";
import { sessionAfter } from "./verified-session.ts";

const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: true };
const session = {
  ...newOpenSession(scope, now),
  mode: "setup",
  price: { amountMinor: 0, currency: "eur" },
  attempts: 1,
} as const;
const processing = processingVerification(scope, now, {
  price: session.price,
  checkoutSessionId: session.id,
});
const details = { ...noDetails, acquirerReference: "psp1", networkTransactionId: "ntid" };

test("an approval completes the session with the card and keeps the network transaction ID", () => {
  const after = verificationAfter(processing, { kind: "approved", approvedMinor: 0, details }, now);
  assert.ok(after.status === "succeeded");
  assert.deepEqual(
    [after.version, after.networkTransactionId, after.acquirerReference],
    [2, "ntid", "psp1"],
  );
  const change = sessionAfter(session, after, now);
  assert.deepEqual(
    [change.status, change.paymentStatus, change.paymentMethodId, change.event?.type],
    ["complete", "unpaid", processing.paymentMethodId, "checkout_session.completed"],
  );
});

test("every response without a decision fails the verification, because no money can have moved", () => {
  for (const response of [
    { kind: "unknown", why: "timeout", problem: "" },
    { kind: "not_sent" },
    { kind: "pending", acquirerReference: "psp1" },
    { kind: "rejected", why: "invalid_request", acquirerErrorCode: null },
  ] as const) {
    const after = verificationAfter(processing, response, now);
    assert.ok(after.status === "failed", response.kind);
    assert.equal(after.failure.code, "processing_error");
    assert.equal(sessionAfter(session, after, now).event, null);
  }
});

test("a decline keeps the issuer's code, and the last attempt fails the session", () => {
  const response = {
    kind: "declined",
    code: "lost_card",
    networkDeclineCode: "41",
    retry: "never",
    notBefore: null,
    details,
  } as const;
  const after = verificationAfter(processing, response, now);
  assert.ok(after.status === "failed");
  assert.deepEqual(
    [after.failure.declineCode, after.failure.networkDeclineCode],
    ["lost_card", "41"],
  );
  assert.equal(sessionAfter(session, after, now).status, "open");
  assert.equal(sessionAfter({ ...session, attempts: 5 }, after, now).status, "failed");
});
