import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalAmount, formatAmount } from "./amount.ts";

test("an amount is formatted for its locale", () => {
  assert.equal(formatAmount(1999, "usd", "en-US"), "$19.99");
  assert.equal(formatAmount(1999, "jpy", "en-US"), "¥1,999");
  assert.equal(formatAmount(1999, "kwd", "en-US"), "KWD\u00a01.999");
  // The Lao kip has two decimals in ISO 4217 and none in the browser's CLDR data.
  assert.equal(formatAmount(1999, "lak", "en-US"), "LAK\u00a019.99");
  assert.equal(formatAmount(1999, "eur", "de-DE"), "19,99\u00a0€");
});

test("an amount in a right-to-left language is isolated from the text around it, and so is a Latin currency", () => {
  const [lri, rli, pdi] = ["\u2066", "\u2067", "\u2069"];
  const rlm = "\u200f";
  assert.equal(formatAmount(15250, "usd", "ar"), `${rli}${rlm}152.50\u00a0${lri}US$${pdi}${pdi}`);
  assert.ok(formatAmount(15250, "sar", "ar").startsWith(`${rli}${rlm}152.50\u00a0ر`));
  assert.ok(formatAmount(15250, "eur", "he-IL").startsWith(rli));
});

test("an invalid locale falls back to the default", () => {
  assert.equal(formatAmount(1999, "usd", "not a locale"), "$19.99");
});

test("wallets get the amount with the currency's digits", () => {
  assert.deepEqual(
    [
      decimalAmount(1999, "usd"),
      decimalAmount(5, "eur"),
      decimalAmount(500, "jpy"),
      decimalAmount(12_345, "kwd"),
      decimalAmount(999_999_999_999, "usd"),
    ],
    ["19.99", "0.05", "500", "12.345", "9999999999.99"],
  );
});
