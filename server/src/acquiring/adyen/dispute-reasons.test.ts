import assert from "node:assert/strict";
import { test } from "node:test";
import { disputeReasonOf } from "./dispute-reasons.ts";

test("an ambiguous, unknown or absent reason code is `general`", () => {
  assert.equal(disputeReasonOf("10.4"), "fraudulent");
  assert.equal(disputeReasonOf("13.1"), "product_not_received");
  assert.equal(disputeReasonOf("4863"), "unrecognized");
  for (const code of ["4853", "99", "constructor", null]) {
    assert.equal(disputeReasonOf(code), "general");
  }
});
