import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import { errorCodes } from "@florin/contract/errors.ts";
import {
  type AuthorizationOutcome,
  noDetails,
  type UnknownReason,
} from "../../acquiring/outcome.ts";
import { newId } from "../../core/ids.ts";
import {
  authorizationLifeMs,
  block,
  chargeAfterResponse,
  requireAction,
} from "./apply-response.ts";
import { processingCharge } from "./charge.fixture.ts";

const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false };
const charge = processingCharge(scope, now);
const checks = { cvcCheck: "pass", addressLine1Check: null, addressPostalCodeCheck: null } as const;
const approved: AuthorizationOutcome = {
  kind: "approved",
  approvedMinor: 1999,
  details: { ...noDetails, checks, networkTransactionId: "SIM-1" },
};
const declinedWith = (code: DeclineCode): AuthorizationOutcome => ({
  kind: "declined",
  code,
  networkDeclineCode: "05",
  retry: declineCodes[code].retry,
  notBefore: null,
  details: { ...noDetails, checks },
});
const pending: AuthorizationOutcome = { kind: "pending", acquirerReference: null };
const unknown = (why: UnknownReason): AuthorizationOutcome => ({
  kind: "unknown",
  why,
  problem: "the test lost the response",
});

test("approved: the charge succeeds with the approved amount", () => {
  assert.deepEqual(chargeAfterResponse(charge, approved, now), {
    ...charge,
    version: 2,
    status: "succeeded",
    finalizedAt: now,
    capturedMinor: 1999,
    refundedMinor: 0,
    disputedMinor: 0,
    checks,
    networkTransactionId: "SIM-1",
  });
});

test("approved with manual capture: nothing is captured, and the authorization lasts seven days", () => {
  const held = chargeAfterResponse({ ...charge, captureMethod: "manual" }, approved, now);
  assert.equal(held.status, "authorized");
  assert.equal("capturedMinor" in held, false);
  assert.deepEqual(
    held.status === "authorized" && held.captureBefore,
    new Date(now.getTime() + authorizationLifeMs),
  );
});

test("declined: every decline code leads to a failure with the code of a card error", () => {
  for (const declineCode of Object.keys(declineCodes) as DeclineCode[]) {
    const failed = chargeAfterResponse(charge, declinedWith(declineCode), now);
    assert.ok(failed.status === "failed");
    assert.deepEqual(
      [failed.failure.declineCode, failed.failure.networkDeclineCode],
      [declineCode, "05"],
    );
    assert.equal(errorCodes[failed.failure.code].status, 402);
    assert.deepEqual([failed.finalizedAt, failed.checks], [now, checks]);
  }
});

test("not sent: the charge fails, because the request never left this machine", () => {
  const failed = chargeAfterResponse(charge, { kind: "not_sent" }, now);
  assert.ok(failed.status === "failed");
  assert.equal(failed.failure.declineCode, "processing_error");
  assert.equal(failed.checks, null);
});

const rejected: AuthorizationOutcome = {
  kind: "rejected",
  why: "credentials",
  acquirerErrorCode: "000",
};

test("rejected: the charge fails, because the acquirer has not processed the request", () => {
  const failed = chargeAfterResponse(charge, rejected, now);
  assert.ok(failed.status === "failed");
  assert.equal(failed.failure.declineCode, "processing_error");
});

const requiresAction: AuthorizationOutcome = {
  kind: "requires_action",
  redirect: { url: "https://acquirer.example/authenticate", method: "GET", fields: {} },
  resume: null,
  acquirerReference: null,
};

test("requires_action: the charge waits for the cardholder", () => {
  assert.equal(chargeAfterResponse(charge, requiresAction, now).status, "requires_action");
});

test("pending: the charge waits for the acquirer's decision", () => {
  const waiting = chargeAfterResponse(charge, pending, now);
  assert.ok(waiting.status === "processing");
  assert.equal(waiting.pendingReason, "acquirer_processing");
});

test("pending while a reversal is pending: the outcome of the charge stays unknown", () => {
  const waiting = chargeAfterResponse({ ...charge, reversalPending: true }, pending, now);
  assert.ok(waiting.status === "processing");
  assert.equal(waiting.pendingReason, "outcome_unknown");
});

for (const why of ["timeout", "invalid_response", "connection_lost"] as const) {
  test(`unknown, ${why}: never a decline, because money may have moved`, () => {
    for (const pendingReason of [null, "acquirer_processing", "outcome_unknown"] as const) {
      const waiting = chargeAfterResponse({ ...charge, pendingReason }, unknown(why), now);
      assert.ok(waiting.status === "processing");
      assert.equal(waiting.pendingReason, "outcome_unknown");
    }
  });
}

test("every response increments the version and leaves the given charge unchanged", () => {
  const before = structuredClone(charge);
  const responses: AuthorizationOutcome[] = [
    approved,
    declinedWith("do_not_honor"),
    rejected,
    { kind: "not_sent" },
    pending,
    requiresAction,
    unknown("timeout"),
  ];
  for (const response of responses)
    assert.equal(chargeAfterResponse(charge, response, now).version, 2, response.kind);
  assert.equal(block(charge, now).version, 2);
  assert.equal(requireAction(charge).version, 2);
  assert.deepEqual(charge, before);
});

test("a block by the risk decision has a fixed code, and a block by the network has the network's code", () => {
  const blocked = block(charge, now);
  const named = block({ ...charge, decisionId: newId("dec", now) }, now);
  const byNetwork = block(charge, now, "fraudulent");
  assert.deepEqual(
    [blocked, named, byNetwork].map((one) => one.status === "failed" && one.failure),
    ["blocked_by_decision", "blocked_by_decision", "card_declined"].map((code) => ({
      code,
      declineCode: "fraudulent",
      networkDeclineCode: null,
    })),
  );
});
