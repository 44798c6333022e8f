import assert from "node:assert/strict";
import { test } from "node:test";
import { currencies, currencyNumber, defaultAmounts, isCurrency, maxAmount } from "./currency.ts";
import { decimalText, minorUnitDigits } from "./minor-units.ts";

/**
 * Currencies for which CLDR, and therefore `Intl`, has the number of digits in everyday use instead of the number in
 * ISO 4217 (supplemental/currencyData, `fractions`).
 */
const otherInCldr = "afn all cop huf idr iqd lak lbp mga mmk pkr sos yer".split(" ");

test("every currency has the number of digits in ISO 4217", () => {
  const withDigits = (digits: number) =>
    currencies.filter((currency) => minorUnitDigits(currency) === digits).join(" ");
  assert.equal(withDigits(0), "bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf");
  assert.equal(withDigits(3), "bhd iqd jod kwd lyd omr tnd");
  for (const currency of currencies) {
    if (otherInCldr.includes(currency)) continue;
    const { maximumFractionDigits } = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
    }).resolvedOptions();
    assert.equal(maximumFractionDigits, minorUnitDigits(currency), currency);
  }
});

test("a decimal text has the digits of its currency", () => {
  assert.deepEqual(
    [decimalText(5, "usd"), decimalText(-2500, "eur"), decimalText(199_999, "kwd")],
    ["0.05", "-25.00", "199.999"],
  );
  assert.deepEqual([decimalText(-1, "usd"), decimalText(1999, "jpy")], ["-0.01", "1999"]);
});

test("every currency in use is in the table and has a unique numeric code", () => {
  // Funds codes, metals, test codes, withdrawn currencies, and currencies that card networks do not support.
  const noMoney = /^(X(?!AF|CD|CG|OF|PF)..|BOV|CHE|CHW|CLF|COU|MXV|USN|USS|UYI|UYW)$/;
  const withdrawn = "ANG BGN CUC HRK MRO SLL STD VED VEF ZWL".split(" ");
  const notSettled = "CUP IRR KPW SYP".split(" ");
  // The names of historic currencies contain years.
  const names = new Intl.DisplayNames("en", { type: "currency" });
  const missing = Intl.supportedValuesOf("currency").filter(
    (code) =>
      !isCurrency(code.toLowerCase()) &&
      !noMoney.test(code) &&
      !withdrawn.includes(code) &&
      !notSettled.includes(code) &&
      !/[0-9]{4}/.test(names.of(code) ?? ""),
  );
  assert.deepEqual(missing, []);
  assert.equal(new Set(currencies.map(currencyNumber)).size, currencies.length);
  for (const currency of currencies) assert.match(currencyNumber(currency), /^[0-9]{3}$/);
});

test("default amounts of every currency are round, in order and within the limit of a message", () => {
  for (const currency of currencies) {
    const amounts = defaultAmounts[currency];
    for (const [kind, amount] of Object.entries(amounts)) {
      assert.ok(
        Number.isSafeInteger(amount) && amount >= 1 && amount <= maxAmount,
        `${currency} ${kind}`,
      );
    }
    const { fixedFee, minCharge, maxCharge, minPayout, maxPayout } = amounts;
    assert.ok(fixedFee < minCharge, `${currency}: a fee takes the whole of the minimum charge`);
    assert.ok(minCharge < maxCharge && maxCharge <= maxPayout, currency);
    assert.ok(minPayout <= minCharge, currency);
  }
  assert.deepEqual(defaultAmounts.usd, {
    fixedFee: 30,
    disputeFee: 1_500,
    minCharge: 50,
    maxCharge: 99_999_999,
    minPayout: 50,
    maxPayout: 999_999_999,
  });
  // The maximum in rupiah is worth more than half a million dollars. A maximum that is the same number for all
  // currencies would be worth only sixty dollars in rupiah.
  assert.equal(defaultAmounts.idr.maxCharge, maxAmount);
  assert.equal(defaultAmounts.kwd.minCharge, 200);
});
