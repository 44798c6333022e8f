import assert from "node:assert/strict";
import { test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { refundable, unavailableReasons } from "./unavailable-reasons.ts";

const now = 1_800_000_000;
const paid = {
  status: "succeeded",
  amount: 2_000,
  amount_captured: 2_000,
  amount_refunded: 0,
  amount_disputed: 0,
  refunded: false,
  disputed: false,
  pending_reason: null,
  capture_before: null,
} as Charge;
const held = {
  ...paid,
  status: "authorized",
  amount_captured: 0,
  capture_before: now + 1,
} as Charge;

test("a captured payment can be refunded and cannot be captured or canceled", () => {
  const { capture, cancel, refund } = unavailableReasons(paid, now);
  assert.equal(refund, null);
  assert.match(capture ?? "", /already captured/);
  assert.match(cancel ?? "", /already captured/);
});

test("an authorized payment can be captured or canceled until the authorization expires", () => {
  assert.deepEqual(
    [unavailableReasons(held, now).capture, unavailableReasons(held, now).cancel],
    [null, null],
  );
  assert.match(unavailableReasons(held, now + 1).capture ?? "", /authorization has expired/);
});

test("no operation is possible while the outcome of another is unknown", () => {
  const waiting = { ...held, pending_reason: "outcome_unknown" } as Charge;
  const { capture, cancel } = unavailableReasons(waiting, now);
  assert.match(capture ?? "", /in progress/);
  assert.match(cancel ?? "", /in progress/);
});

test("a refund that is not possible has a reason", () => {
  const reason = (fields: Partial<Charge>) =>
    unavailableReasons({ ...paid, ...fields }, now).refund;
  assert.match(reason({ status: "failed" }) ?? "", /never captured/);
  assert.match(reason({ refunded: true }) ?? "", /refunded in full/);
  assert.match(reason({ disputed: true, amount_disputed: 2_000 }) ?? "", /disputed/);
  assert.match(reason({ amount_captured: 0 }) ?? "", /Nothing is left/);
});

test("the undisputed part of a disputed payment can be refunded", () => {
  const partlyDisputed = { ...paid, disputed: true, amount_disputed: 500 };
  assert.equal(unavailableReasons(partlyDisputed, now).refund, null);
});

test("the refundable amount is the captured amount less refunds and disputes", () => {
  assert.equal(refundable({ ...paid, amount_refunded: 500, amount_disputed: 200 }), 1_300);
  assert.equal(refundable({ ...paid, amount_refunded: 500, amount_disputed: 2_000 }), 0);
});
