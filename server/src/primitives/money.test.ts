import assert from "node:assert/strict";
import { test } from "node:test";
import { largestAmount, smallestAmount } from "@florin/contract/amount.ts";
import { ApiError } from "./api-error.ts";
import {
  currencies,
  currencyDigits,
  isCurrency,
  largestAmountMinor,
  priceOf,
  smallestAmountMinor,
} from "./money.ts";

test("currencies have two decimals, but for those that ISO 4217 gives none or three", () => {
  const withDigits = (digits: number) =>
    currencies.filter((currency) => currencyDigits(currency) === digits).join(" ");
  assert.equal(withDigits(0), "clp isk jpy krw ugx vnd xaf xof");
  assert.equal(withDigits(3), "bhd jod kwd omr tnd");
  assert.ok(currencies.every((currency) => [0, 2, 3].includes(currencyDigits(currency))));
});

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

test("the contract and the server agree on the smallest and the largest amount", () => {
  assert.deepEqual([smallestAmountMinor, largestAmountMinor], [smallestAmount, largestAmount]);
});
