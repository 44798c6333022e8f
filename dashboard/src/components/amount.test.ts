import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMoney, moneyText, parseMoney } from "./amount.ts";

test("an amount is read in its own currency, without ever becoming a fraction", () => {
  assert.equal(parseMoney("19.99", "usd"), 1_999);
  assert.equal(parseMoney("19,9", "eur"), 1_990);
  assert.equal(parseMoney("1 250", "jpy"), 1_250);
  assert.equal(parseMoney("1.234", "kwd"), 1_234);
  assert.equal(parseMoney("0.07", "usd"), 7);
});

test("what is no amount of the currency is none", () => {
  for (const text of ["", "abc", "1.999", "-5", "1e3", "1.2.3", "0x10"]) {
    assert.equal(parseMoney(text, "usd"), null, text);
  }
  assert.equal(parseMoney("1.5", "jpy"), null);
});

test("what is written can be read again, in every kind of currency", () => {
  const currency = fc.constantFrom("usd", "jpy", "kwd");
  fc.assert(
    fc.property(fc.nat(), currency, (amount, code) =>
      assert.equal(parseMoney(moneyText(amount, code), code), amount),
    ),
  );
});

test("an amount is shown in its currency's own digits", () => {
  assert.match(formatMoney(1_999, "usd"), /19[.,]99/);
  assert.match(formatMoney(1_999, "jpy"), /1.?999/);
});
