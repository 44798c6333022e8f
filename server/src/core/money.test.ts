import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api-error.ts";
import { isCurrency, moneyText, priceOf } from "./money.ts";

test("a currency is accepted only as its lower-case code", () => {
  assert.ok(isCurrency("usd"));
  for (const code of ["USD", "us", "usdt", "", "toString", "__proto__", " usd"]) {
    assert.equal(isCurrency(code), false, code);
  }
});

test("an unsupported currency is rejected, and the error names it", () => {
  assert.deepEqual(priceOf({ amount: 1999, currency: "jpy" }), {
    amountMinor: 1999,
    currency: "jpy",
  });
  assert.throws(
    () => priceOf({ amount: 1999, currency: "USD" }),
    (error) =>
      error instanceof ApiError &&
      error.code === "currency_unsupported" &&
      error.details.param === "currency",
  );
});

test("amounts for operators have the decimals and the upper-case code of their currency", () => {
  assert.equal(moneyText(1999, "usd"), "19.99 USD");
  assert.equal(moneyText(-5, "kwd"), "-0.005 KWD");
  assert.equal(moneyText(1999, "jpy"), "1999 JPY");
});
