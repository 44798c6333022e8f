import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api-error.ts";
import { isCurrency, priceOf } from "./money.ts";

test("a currency is accepted only as its lower-case code", () => {
  assert.ok(isCurrency("usd"));
  for (const code of ["USD", "us", "usdt", "", "toString", "__proto__", " usd"]) {
    assert.equal(isCurrency(code), false, code);
  }
});

test("an amount in an unsupported currency is rejected by name", () => {
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
