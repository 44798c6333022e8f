import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api-error.ts";
import { isCurrency, priceOf } from "./money.ts";

test("a currency is known by its lower-case code and by nothing else", () => {
  assert.ok(isCurrency("usd"));
  for (const code of ["USD", "us", "usdt", "", "toString", "__proto__", " usd"]) {
    assert.equal(isCurrency(code), false, code);
  }
});

test("a price in a currency that cannot be charged is refused by name", () => {
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
