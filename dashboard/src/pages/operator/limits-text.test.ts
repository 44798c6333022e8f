import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsText, readLimits } from "./limits-text.ts";

test("limits are parsed back to the same amounts in each currency", () => {
  const limits = { usd: 500_000, jpy: 90_000, kwd: 1_500 };
  assert.equal(limitsText(limits), "USD 5000.00, JPY 90000, KWD 1.500");
  assert.deepEqual(readLimits(limitsText(limits)), limits);
  assert.deepEqual(readLimits("usd 12,50; eur 3"), { usd: 1_250, eur: 300 });
  assert.deepEqual(readLimits(""), {});
});

test("invalid text is passed on for the service to reject", () => {
  assert.deepEqual(readLimits("USD lots"), { usd: "lots" });
  assert.deepEqual(readLimits("5000"), { "5000": "" });
});
