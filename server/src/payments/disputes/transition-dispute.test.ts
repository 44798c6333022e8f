import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../core/ids.ts";
import { processingCharge } from "../charges/charge.fixture.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import type { Dispute } from "./dispute.ts";
import {
  acceptDispute,
  closeRefunded,
  confirmResponse,
  openDispute,
  rejectResponse,
  submitEvidence,
} from "./transition-dispute.ts";

const now = new Date("2026-05-15T12:00:00Z");
const scope = { account: newId("acct", now), livemode: true };
const charge = {
  ...processingCharge(scope, now),
  status: "succeeded",
  capturedMinor: 1999,
  refundedMinor: 0,
  disputedMinor: 0,
} as unknown as SucceededCharge;
const context = { charge, feeMinor: 0, now };

function open(isInquiry = false): Dispute {
  const opened = openDispute(
    {
      ...scope,
      networkCase: "00000000-0000-4000-8000-000000000001",
      acquirerReference: "DZ4DPSHB4WD2WN82",
      charge: charge.id,
      reason: "fraudulent",
      isInquiry,
      amountMinor: null,
      state: "open",
    },
    context,
  );
  assert(opened);
  return opened.dispute;
}

const evidence = { uncategorized_text: "It was delivered." };
const submitted = (isInquiry = false) => submitEvidence(open(isInquiry), evidence, context).dispute;
/** Returns the dispute after a worker has made `responseAttempts` attempts to send its response. */
const attempted = (dispute: Dispute, responseAttempts: number): Dispute => ({
  ...dispute,
  responseAttempts,
});

test("rejected evidence returns to the merchant with the problem and an event", () => {
  const rejected = rejectResponse(attempted(submitted(), 1), "A document is missing.", context);
  assert(rejected);
  const { status, evidence: kept, responseDueAt, responseProblem, version } = rejected.dispute;
  assert.deepEqual(
    [status, kept, responseDueAt, responseProblem, version],
    ["needs_response", evidence, null, "A document is missing.", 3],
  );
  assert.deepEqual([rejected.event, rejected.entries], ["dispute.response_rejected", []]);
});

test("corrected evidence is due again, with its attempts reset and the earlier problem cleared", () => {
  const rejected = rejectResponse(attempted(submitted(), 3), "A document is missing.", context);
  assert(rejected);
  const again = submitEvidence(rejected.dispute, evidence, context).dispute;
  assert.deepEqual(
    [again.status, again.responseDueAt, again.responseAttempts, again.responseProblem],
    ["under_review", now, 0, null],
  );
});

test("a rejected acceptance and a rejected statement of a refund leave the dispute closed", () => {
  const accepted = acceptDispute(open(), context).dispute;
  const refunded = closeRefunded(open(true), context).dispute;
  for (const dispute of [accepted, refunded]) {
    const rejected = rejectResponse(dispute, "Too late.", context);
    assert(rejected);
    const { status, responseDueAt, responseProblem } = rejected.dispute;
    assert.deepEqual(
      [status, responseDueAt, responseProblem, rejected.event],
      [dispute.status, null, "Too late.", null],
    );
  }
});

test("a rejection after a confirmation changes nothing", () => {
  const confirmed = confirmResponse(submitted(), context)?.dispute;
  assert(confirmed);
  assert.deepEqual([confirmed.status, confirmed.responseDueAt], ["under_review", null]);
  assert.equal(rejectResponse(confirmed, "It cannot be defended.", context), null);
  assert.equal(confirmResponse(confirmed, context), null);
});

test("a confirmed response that was made in the acquirer's console puts the dispute under review", () => {
  const confirmed = confirmResponse(open(), context);
  assert.deepEqual(
    [confirmed?.dispute.status, confirmed?.dispute.evidence, confirmed?.event],
    ["under_review", null, null],
  );
});

test("closing a refunded inquiry under review keeps its count of response attempts", () => {
  const refunded = closeRefunded(attempted(submitted(true), 1), context).dispute;
  assert.deepEqual([refunded.status, refunded.responseAttempts], ["won", 1]);
});
