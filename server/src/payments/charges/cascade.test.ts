import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import fc from "fast-check";
import { merchantAdvice, visaNeverApproves } from "../../acquiring/network-advice.ts";
import { noDetails } from "../../acquiring/outcome.ts";
import type { CardRecord } from "../../cards/payment-methods/card-record.ts";
import { isWithinCardLimits } from "../../risk/card-limits.ts";
import { type Declined, mayCascade } from "./cascade.ts";

const unused: CardRecord = { declinesInDay: 0, declinesIn30Days: 0, lastNever: null };
const declined = (code: DeclineCode, changes: Partial<Declined> = {}): Declined => ({
  kind: "declined",
  code,
  networkDeclineCode: null,
  retry: declineCodes[code].retry,
  notBefore: null,
  details: noDetails,
  ...changes,
});
const soft = declined("do_not_honor", { networkDeclineCode: "05" });

test("a charge is sent over another connection only after a decline without a definite reason", () => {
  const codes = Object.keys(declineCodes) as DeclineCode[];
  assert.deepEqual(
    codes.filter((code) => mayCascade(declined(code), unused)),
    ["do_not_honor", "generic_decline", "issuer_not_available", "reenter_transaction"],
  );
});

test("a charge is not sent again if the network forbids it or asks to wait", () => {
  for (const networkDeclineCode of visaNeverApproves) {
    assert.equal(mayCascade({ ...soft, networkDeclineCode }, unused), false, networkDeclineCode);
  }
  const advised = Object.keys(merchantAdvice).filter((networkAdviceCode) =>
    mayCascade({ ...soft, details: { ...noDetails, networkAdviceCode } }, unused),
  );
  assert.deepEqual(advised, ["02"]);
  assert.equal(mayCascade({ ...soft, retry: "never" }, unused), false);
  assert.equal(mayCascade({ ...soft, notBefore: new Date() }, unused), false);
});

test("a charge is not sent again with a wrong security code, a test card, or a card that must not be retried", () => {
  const checks = { ...noDetails.checks, cvcCheck: "fail" } as const;
  assert.equal(mayCascade({ ...soft, details: { ...noDetails, checks } }, unused), false);
  assert.equal(mayCascade(soft, null), false);
  assert.equal(mayCascade(soft, { ...unused, lastNever: "stolen_card" }), false);
});

const hour = 60 * 60 * 1000;
const day = 24 * hour;

test("the declines of a card stay within the service's limits and below the networks', with any number of charges", () => {
  // The time to the next charge, and the responses of the issuer to its attempts.
  const charge = fc.record({
    afterMs: fc.oneof(fc.nat(hour), fc.nat(3 * day)),
    declines: fc.constantFrom(0, 1, 2),
  });
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 120 }), (charges) => {
      const declines: number[] = [];
      let now = 0;
      const since = (ms: number) => declines.filter((at) => at > now - ms).length;
      for (const { afterMs, declines: responses } of charges) {
        now += afterMs;
        const record = {
          declinesInDay: since(day),
          declinesIn30Days: since(30 * day),
          lastNever: null,
        };
        if (!isWithinCardLimits(record) || responses === 0) continue;
        declines.push(now);
        if (responses === 2 && mayCascade(soft, record)) declines.push(now);
        // Mastercard allows 10 declines in a day and 35 in 30 days, and Visa 20 in 30 days.
        assert.ok(since(day) < 10 && since(30 * day) < 20);
        assert.ok(since(day) <= 8 && since(30 * day) <= 14);
      }
    }),
    { numRuns: 500 },
  );
});
