import assert from "node:assert/strict";
import { test } from "node:test";
import { declineOf, type StripeDecline } from "./decline-codes.ts";

const now = new Date("2026-11-25T12:00:00Z");
const none: StripeDecline = {
  code: null,
  declineCode: null,
  networkDeclineCode: null,
  networkAdviceCode: null,
  adviceCode: null,
};
const of = (declined: Partial<StripeDecline>) => declineOf({ ...none, ...declined }, now);

test("the issuer's decline code is preferred to the error code, and unknown codes are generic", () => {
  for (const [declined, code] of [
    [{ code: "card_declined", declineCode: "insufficient_funds" }, "insufficient_funds"],
    [{ code: "card_declined", declineCode: "generic_decline" }, "generic_decline"],
    [{ code: "card_declined", declineCode: "invalid_charge_amount" }, "invalid_amount"],
    [{ code: "card_declined", declineCode: "a_new_code" }, "generic_decline"],
    [{ code: "expired_card" }, "expired_card"],
    [{ code: "incorrect_postal_code" }, "incorrect_zip"],
    [{ code: "payment_intent_authentication_failure" }, "authentication_failed"],
    [{ code: "authentication_required" }, "authentication_required"],
    [{}, "generic_decline"],
  ] as const) {
    assert.equal(of(declined).code, code, JSON.stringify(declined));
  }
});

test("the network's advice sets the time of another attempt, and Stripe's advice applies without it", () => {
  const waiting = of({ declineCode: "insufficient_funds", networkAdviceCode: "25" });
  assert.deepEqual([waiting.retry, waiting.notBefore], ["later", new Date("2026-11-26T12:00:00Z")]);
  const advice = { declineCode: "do_not_honor", adviceCode: "do_not_try_again" };
  assert.deepEqual([of(advice).retry, of(advice).notBefore], ["never", null]);
  assert.equal(of({ declineCode: "do_not_honor", adviceCode: "new_advice" }).retry, "other");
  assert.equal(
    of({ code: "authentication_required", adviceCode: "try_again_later" }).retry,
    "auth",
  );
});

test("a network decline code is returned only if it has the format of one", () => {
  assert.equal(of({ networkDeclineCode: "51" }).networkDeclineCode, "51");
  assert.equal(of({ networkDeclineCode: "insufficient funds" }).networkDeclineCode, null);
});
