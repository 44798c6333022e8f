import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../core/ids.ts";
import { processingCharge } from "../charges/charge.fixture.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";
import { suggestEvidence } from "./suggest-evidence.ts";

const now = new Date("2026-11-30T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false };

/** Returns a payment from this address, as it is recorded in the decision. */
function paidFrom(ip: string): Charge {
  const details = { ip } as NonNullable<Charge["risk"]["details"]>;
  return processingCharge(scope, now, {
    risk: { outcome: "approve", score: 10, reasons: [], details },
  });
}

function suggest(ip: string) {
  const charge = paidFrom(ip) as unknown as SucceededCharge;
  return suggestEvidence({ charge, session: null, customer: null, earlier: [paidFrom(ip)] });
}

test("an earlier payment from the same IP address is evidence", () => {
  const { customer_purchase_ip, earlier_payments } = suggest("203.0.113.7");
  assert.equal(customer_purchase_ip, "203.0.113.7");
  assert.match(earlier_payments ?? "", /, from the same IP address$/);
});

test("two payments from unknown addresses are not from the same IP address", () => {
  const { customer_purchase_ip, earlier_payments } = suggest("unknown");
  assert.equal(customer_purchase_ip, undefined);
  assert.doesNotMatch(earlier_payments ?? "", /same IP address/);
});
