import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAmount } from "./amount.ts";

test("an amount is formatted for its locale", () => {
  assert.equal(formatAmount(1999, "usd", "en-US"), "$19.99");
  assert.equal(formatAmount(1999, "jpy", "en-US"), "¥1,999");
  assert.equal(formatAmount(1999, "kwd", "en-US"), "KWD\u00a01.999");
  // The Lao kip has two decimals in ISO 4217 and none in the browser's CLDR data.
  assert.equal(formatAmount(1999, "lak", "en-US"), "LAK\u00a019.99");
  assert.equal(formatAmount(1999, "eur", "de-DE"), "19,99\u00a0€");
});

test("an invalid locale falls back to the default", () => {
  assert.equal(formatAmount(1999, "usd", "not a locale"), "$19.99");
});
