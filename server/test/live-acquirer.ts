import assert from "node:assert/strict";
import type { Processor } from "../src/acquiring/processor.ts";

/**
 * An acquirer for live mode that is configured and must not be called, for tests of sessions, pages and
 * `charges_enabled`. In live mode, the service rejects test cards before it calls an acquirer.
 */
export const connectedAcquirer: Processor = {
  name: "adyen",
  assignmentId: "asg_01jbqw3e4r5t6y7z8x9cvbnmas",
  replaySafeForMs: Number.POSITIVE_INFINITY,
  lookUp: neverCalled,
  authorize: neverCalled,
  authorizeGatewayToken: null,
  verifyCard: neverCalled,
  resume: neverCalled,
  authorizesBeforeReturn: false,
  inquire: neverCalled,
  reverse: neverCalled,
  operate: neverCalled,
  respondToDispute: neverCalled,
  evidenceLimits: neverCalled,
  payOut: neverCalled,
  settlementFile: neverCalled,
  inquireOperation: neverCalled,
};

function neverCalled(): never {
  return assert.fail("the live acquirer was called");
}
