import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney, moneyText } from "./amount.ts";

test("an amount has the number of decimals of its currency", () => {
  assert.match(formatMoney(1_999, "usd"), /19[.,]99/);
  assert.match(formatMoney(1_999, "jpy"), /1.?999/);
  // The Lao kip has two decimals in ISO 4217 and none in the browser's CLDR data.
  assert.match(formatMoney(1_999, "lak"), /19[.,]99/);
  assert.equal(moneyText(1_999, "lak", "en-US"), "19.99");
});

test("currencies with the same symbol are displayed differently", () => {
  assert.equal(formatMoney(482_500, "usd", "en-US"), "$4,825.00");
  assert.equal(formatMoney(4_825, "clp", "en-US"), "4,825\u00a0CLP");
});

test("a currency code follows the number in every language", () => {
  assert.equal(formatMoney(1_000, "kwd", "en-US"), "1.000\u00a0KWD");
  assert.equal(formatMoney(-1_000, "kwd", "en-US"), "\u22121.000\u00a0KWD");
  assert.equal(formatMoney(1_000, "kwd", "de-DE"), "1,000\u00a0KWD");
  assert.match(formatMoney(1_000, "kwd", "ja-JP"), /^1\.000\sKWD$/);
});

test("a negative amount has a minus sign instead of a hyphen, and a zero has no sign", () => {
  assert.equal(formatMoney(-5_900, "usd", "en-US"), "\u2212$59.00");
  assert.equal(formatMoney(-5_900, "eur", "de-DE"), "\u221259,00\u00a0€");
  assert.equal(formatMoney(-5_900, "sek", "sv-SE"), "\u221259,00\u00a0kr");
  assert.equal(formatMoney(-0, "usd", "en-US"), "$0.00");
});

test("an amount in a field has the same decimal mark as on the page", () => {
  assert.equal(moneyText(1_234_567, "kwd", "en-US"), "1234.567");
  assert.equal(moneyText(1_234_567, "kwd", "de-DE"), "1234,567");
  assert.equal(moneyText(7, "usd", "en-US"), "0.07");
});
