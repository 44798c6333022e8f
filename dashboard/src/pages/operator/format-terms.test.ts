import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAmounts, shownRateLimit } from "./format-terms.ts";

const dollars = {
  fixed_fee: 30,
  dispute_fee: 1500,
  min_charge: 50,
  max_charge: 99_999_999,
  min_payout: 50,
  max_payout: 999_999_999,
};
const defaults = { amounts: { usd: dollars, eur: { ...dollars, fixed_fee: 26 } } };
const noOwnAmounts = { amounts: { usd: dollars } };

test("an account without its own amounts shows the default in dollars", () => {
  assert.equal(
    shownAmounts({ amounts: {} }, noOwnAmounts, "fixed_fee", "en-US"),
    "$0.30 (default)",
  );
});

test("an account's own amounts come before the defaults of its other currencies", () => {
  const terms = { amounts: { eur: { fixed_fee: 25 } } };
  assert.equal(shownAmounts(terms, defaults, "fixed_fee", "en-US"), "€0.25, $0.30 (default)");
  assert.equal(
    shownAmounts(terms, defaults, "dispute_fee", "en-US"),
    "$15.00 (default), €15.00 (default)",
  );
});

test("the rate limit is the account's own or the service's default", () => {
  const shown = (own: number | null, defaultRate: number | null) =>
    shownRateLimit({ requests_per_second: own }, { requests_per_second: defaultRate });
  assert.equal(shown(250, 100), "250 requests per second in each mode");
  assert.equal(shown(null, 100), "100 requests per second in each mode (default)");
  assert.equal(shown(1, null), "1 request per second in each mode");
  assert.equal(shown(null, null), "None (default)");
});
