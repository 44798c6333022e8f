import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceByChance, wilsonInterval } from "./confidence.ts";

const near = (found: number, expected: number, tolerance = 0.0005) =>
  assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`);

test("the interval equals the published values of the Wilson score interval", () => {
  // Newcombe, 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
  for (const [successes, size, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const interval = wilsonInterval({ successes, size }) ?? assert.fail();
    near(interval.low, low);
    near(interval.high, high);
  }
  assert.equal(wilsonInterval({ successes: 0, size: 0 }), null);
});

test("the probability of a difference equals that of the normal distribution", () => {
  // z = 1.96 has a two-sided probability of 5%: 0.5 and 0.6 differ by 1.96 standard errors with 189.5 payments each.
  near(
    differenceByChance({ successes: 95, size: 190 }, { successes: 114, size: 190 }),
    0.0504,
    0.001,
  );
  near(
    differenceByChance({ successes: 900, size: 1_000 }, { successes: 850, size: 1_000 }),
    0.00072,
    0.0001,
  );
  assert.equal(differenceByChance({ successes: 1, size: 1 }, { successes: 0, size: 0 }), 1);
  assert.equal(differenceByChance({ successes: 9, size: 9 }, { successes: 5, size: 5 }), 1);
});
