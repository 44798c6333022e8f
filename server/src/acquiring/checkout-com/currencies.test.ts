import assert from "node:assert/strict";
import { test } from "node:test";
import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { type Currency, currencies } from "../../core/money.ts";
import { fromCheckoutComAmount, toCheckoutComAmount } from "./currencies.ts";

/** For each kind of currency, our amount and Checkout.com's for 100 main units. */
const ofHundred: readonly (readonly [Currency, number, number])[] = [
  ["usd", 10_000, 10_000],
  ["jpy", 100, 100],
  ["isk", 100, 100],
  ["ugx", 100, 100],
  ["clp", 100, 10_000],
  ["kwd", 100_000, 100_000],
];

test("an amount is converted to Checkout.com's decimals and back", () => {
  for (const [ours, amountMinor, amount] of ofHundred) {
    const currency = ours.toUpperCase();
    assert.deepEqual(toCheckoutComAmount({ amountMinor, currency: ours }), { amount, currency });
    const price = { amountMinor, currency: ours };
    assert.deepEqual(fromCheckoutComAmount({ amount, currency }), price, ours);
  }
});

test("an amount that Checkout.com cannot represent is rejected before it is sent", () => {
  for (const [currency, amountMinor] of [
    ["kwd", 1_234],
    ["iqd", 1_001],
    ["clp", 10_000_000],
    ["usd", 1_000_000_000],
    ["usd", -1],
    ["usd", 0.5],
  ] as const) {
    assert.equal(
      toCheckoutComAmount({ amountMinor, currency }),
      null,
      `${amountMinor} ${currency}`,
    );
  }
});

test("an unknown currency, and an amount that is not an integer, cannot be converted", () => {
  assert.equal(fromCheckoutComAmount({ amount: 100, currency: "XXX" }), null);
  assert.equal(fromCheckoutComAmount({ amount: 100, currency: "usd" }), null);
  assert.equal(fromCheckoutComAmount({ amount: 1.5, currency: "USD" }), null);
  assert.equal(fromCheckoutComAmount({ amount: 150, currency: "CLP" }), null);
});

test("a hundred main units of every currency can be represented", () => {
  for (const currency of currencies) {
    const amountMinor = 100 * 10 ** minorUnitDigits(currency);
    const sent = toCheckoutComAmount({ amountMinor, currency });
    assert.ok(sent, currency);
    assert.deepEqual(fromCheckoutComAmount(sent), { amountMinor, currency });
  }
});
