import assert from "node:assert/strict";
import { test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { refundable, whatIsPossible } from "./possible.ts";

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

test("what was taken can go back, and cannot be captured or canceled again", () => {
  const { capture, cancel, refund } = whatIsPossible(paid, now);
  assert.equal(refund, null);
  assert.match(capture ?? "", /taken already/);
  assert.match(cancel ?? "", /taken already/);
});

test("what is held can be taken or let go, until the bank lets go of it", () => {
  assert.deepEqual(
    [whatIsPossible(held, now).capture, whatIsPossible(held, now).cancel],
    [null, null],
  );
  assert.match(whatIsPossible(held, now + 1).capture ?? "", /no longer holds/);
});

test("while an answer is missing nothing else is begun", () => {
  const waiting = { ...held, pending_reason: "outcome_unknown" } as Charge;
  const { capture, cancel } = whatIsPossible(waiting, now);
  assert.match(capture ?? "", /under way/);
  assert.match(cancel ?? "", /under way/);
});

test("a refund is explained away where no money can go back", () => {
  const reason = (facts: Partial<Charge>) => whatIsPossible({ ...paid, ...facts }, now).refund;
  assert.match(reason({ status: "failed" }) ?? "", /No money was taken/);
  assert.match(reason({ refunded: true }) ?? "", /All of it/);
  assert.match(reason({ disputed: true }) ?? "", /disputed/);
  assert.match(reason({ amount_disputed: 2_000 }) ?? "", /Nothing is left/);
});

test("what can go back is what was taken less what went back or is disputed", () => {
  assert.equal(refundable({ ...paid, amount_refunded: 500, amount_disputed: 200 }), 1_300);
  assert.equal(refundable({ ...paid, amount_refunded: 500, amount_disputed: 2_000 }), 0);
});
