import assert from "node:assert/strict";
import { test } from "node:test";
import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import fc from "fast-check";
import { type Currency, currencies, type Money } from "../../core/money.ts";
import { adyenDigits, fromAdyenAmount, toAdyenAmount, unlistedCurrencies } from "./currencies.ts";

const convert = (amountMinor: number, currency: Currency) =>
  toAdyenAmount({ amountMinor, currency });

test("an ordinary currency has the same value at Adyen, with the code in upper case", () => {
  assert.deepEqual(convert(1999, "eur"), { currency: "EUR", value: 1999 });
  assert.deepEqual(convert(1999, "jpy"), { currency: "JPY", value: 1999 });
  assert.deepEqual(convert(1999, "kwd"), { currency: "KWD", value: 1999 });
});

test("Adyen has two decimals for CLP and ISK, and none for IDR and CVE", () => {
  assert.deepEqual(adyenDigits, { clp: 2, cve: 0, idr: 0, isk: 2 });
  assert.deepEqual(convert(1500, "clp"), { currency: "CLP", value: 150_000 });
  assert.deepEqual(convert(279, "isk"), { currency: "ISK", value: 27_900 });
  assert.deepEqual(convert(1_500_000, "idr"), { currency: "IDR", value: 15_000 });
  assert.deepEqual(convert(9_500, "cve"), { currency: "CVE", value: 95 });
  for (const [currency, digits] of Object.entries(adyenDigits)) {
    assert.notEqual(minorUnitDigits(currency), digits, `${currency} is no exception`);
  }
});

test("an amount that needs more decimals than Adyen has is not representable", () => {
  assert.equal(convert(150_001, "idr"), null);
  assert.equal(convert(950, "idr"), null);
  assert.equal(convert(99, "cve"), null);
  assert.equal(fromAdyenAmount({ currency: "ISK", value: 27_950 }), null);
  assert.equal(fromAdyenAmount({ currency: "CLP", value: 1 }), null);
});

test("a currency that Adyen does not list is not representable", () => {
  for (const currency of unlistedCurrencies) assert.equal(convert(1000, currency), null);
});

test("an invalid amount or currency is not representable", () => {
  for (const amount of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
    assert.equal(convert(amount, "eur"), null);
  }
  assert.equal(convert(Number.MAX_SAFE_INTEGER, "isk"), null);
  assert.equal(fromAdyenAmount({ currency: "eur", value: 1 }), null);
  assert.equal(fromAdyenAmount({ currency: "XTS", value: 1 }), null);
  assert.equal(fromAdyenAmount({ currency: "EUR", value: 1.5 }), null);
});

test("every representable amount survives the conversion in both directions", () => {
  const money: fc.Arbitrary<Money> = fc.record(
    {
      amountMinor: fc.integer({ min: 0, max: 999_999_999_999 }),
      currency: fc.constantFrom(...currencies),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(money, (price) => {
      const amount = toAdyenAmount(price);
      if (amount !== null) assert.deepEqual(fromAdyenAmount(amount), price);
    }),
  );
});
