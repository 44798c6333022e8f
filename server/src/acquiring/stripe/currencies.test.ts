import assert from "node:assert/strict";
import { test } from "node:test";
import { type Currency, currencies } from "../../core/money.ts";
import { fromStripeAmount, toStripeAmount } from "./currencies.ts";

/** For each currency with a special rule, our amount and Stripe's for 100 main units (docs.stripe.com/currencies). */
const ofHundred: readonly (readonly [Currency, number, number])[] = [
  ["usd", 10_000, 10_000],
  ["huf", 10_000, 10_000],
  ["twd", 10_000, 10_000],
  ["isk", 100, 10_000],
  ["mga", 10_000, 100],
  ["kwd", 100_000, 100_000],
  ...(
    [
      "bif",
      "clp",
      "djf",
      "gnf",
      "jpy",
      "kmf",
      "krw",
      "pyg",
      "rwf",
      "vnd",
      "vuv",
      "xaf",
      "xof",
    ] as const
  ).map((currency): [Currency, number, number] => [currency, 100, 100]),
];

test("an amount is converted to Stripe's decimals and back", () => {
  for (const [currency, amountMinor, amount] of ofHundred) {
    assert.deepEqual(toStripeAmount({ amountMinor, currency }), { amount, currency }, currency);
    assert.deepEqual(fromStripeAmount({ amount, currency }), { amountMinor, currency }, currency);
  }
});

test("an amount that Stripe cannot represent is rejected before it is sent", () => {
  for (const [currency, amountMinor] of [
    ["mga", 10_050],
    ["kwd", 1_234],
    ["lyd", 1_230],
    ["ugx", 5_000],
    ["usd", 100_000_000],
    ["usd", -1],
  ] as const) {
    assert.equal(toStripeAmount({ amountMinor, currency }), null, `${amountMinor} ${currency}`);
  }
});

test("every other currency that Stripe supports keeps its amount", () => {
  const own = new Set<string>([...ofHundred.map(([currency]) => currency), "ugx"]);
  for (const currency of currencies.filter((one) => !own.has(one))) {
    const price = { amountMinor: 12_340, currency };
    const expected = ["iqd", "lyd"].includes(currency) ? null : { amount: 12_340, currency };
    assert.deepEqual(toStripeAmount(price), expected, currency);
  }
});
