import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dividePayout, retryDelayMs } from "./settlement.ts";

test("each account gets what the acquirer owes it, and the rest belongs to no account", () => {
  assert.deepEqual(dividePayout(500, [100, 300]), [100, 300]);
  assert.deepEqual(dividePayout(300, [-100, 400]), [0, 300]);
  assert.deepEqual(dividePayout(0, [100, 300]), [0, 0]);
});

test("a smaller payout is divided in proportion, without a lost or an additional minor unit", () => {
  assert.deepEqual(dividePayout(100, [100, 100, 100]), [34, 33, 33]);
  fc.assert(
    fc.property(
      fc.nat(2 ** 40),
      fc.array(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), { maxLength: 10 }),
      (paid, owed) => {
        const parts = dividePayout(paid, owed);
        const positive = owed.map((amount) => Math.max(0, amount));
        const total = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + one, 0);
        assert.equal(total(parts), Math.min(paid, total(positive)));
        assert.ok(parts.every((part, index) => part >= 0 && part <= (positive[index] as number)));
      },
    ),
  );
});

test("the delay of a report whose posting keeps failing grows from seconds to an hour", () => {
  const seconds = [0, 1, 2, 3, 9, 10, 2_000].map((failures) => retryDelayMs(failures) / 1_000);
  assert.deepEqual(seconds, [5, 10, 20, 40, 2_560, 3_600, 3_600]);
});
