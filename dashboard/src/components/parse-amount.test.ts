import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMoney, moneyText } from "./amount.ts";
import { faultOfAmount, parseAmount, parseMoney } from "./parse-amount.ts";

const currency = fc.constantFrom("usd", "eur", "jpy", "clp", "kwd", "bhd", "chf", "inr");
const locale = fc.constantFrom("en-US", "en-GB", "en-IN", "de-DE", "de-CH", "fr-FR", "pl", "ar-EG");
const amount = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 10 ** 12 - 1 }));

test("an amount is parsed in its currency with integer arithmetic", () => {
  assert.equal(parseMoney("19.99", "usd", "en-US"), 1_999);
  assert.equal(parseMoney("19,9", "eur", "en-US"), 1_990);
  assert.equal(parseMoney("1 250", "jpy", "en-US"), 1_250);
  assert.equal(parseMoney("1.234", "kwd", "en-US"), 1_234);
  assert.equal(parseMoney("0.07", "usd", "en-US"), 7);
  assert.equal(parseMoney("9000000000000.00", "idr", "en-US"), 900_000_000_000_000);
});

test("text that is not an amount of the currency is rejected", () => {
  for (const text of [
    "",
    "abc",
    "1.999",
    "12.345,6.7",
    "-5",
    "1e3",
    "1.2.3",
    "0x10",
    "€5",
    "5 7",
  ]) {
    assert.equal(parseMoney(text, "usd", "en-US"), null, text);
  }
  assert.equal(parseMoney("1.5", "jpy", "en-US"), null);
  assert.equal(parseMoney("1234.5678", "kwd", "en-US"), null);
  assert.equal(parseMoney("9999999999999.999", "kwd", "en-US"), null);
  assert.equal(parseMoney("1".repeat(400), "usd", "en-US"), null);
});

test("every formatted amount is parsed back to the same value in every currency", () => {
  fc.assert(
    fc.property(amount, currency, locale, (minor, code, of) => {
      assert.equal(parseMoney(formatMoney(minor, code, of), code, of), minor);
      assert.equal(parseMoney(moneyText(minor, code, of), code, of), minor);
    }),
  );
});

test("an amount is parsed with group separators and with the symbol or code on either side", () => {
  for (const text of [
    "1,000",
    "1,000.00",
    "1.000,00",
    "$1,000.00",
    "USD 1000",
    "1 000 usd",
    "1’000",
  ])
    assert.equal(parseMoney(text, "usd", "en-US"), 100_000, text);
  assert.equal(parseMoney("1.000", "eur", "de-DE"), 100_000);
  assert.equal(parseMoney("KWD 1,233.567", "kwd", "en-US"), 1_233_567);
});

test("an ambiguous amount is rejected and both values are named", () => {
  assert.deepEqual(parseAmount("1,000", "kwd", "en-US"), {
    kind: "unclear",
    readings: [1_000, 1_000_000],
  });
  assert.equal(
    faultOfAmount("1,000", "kwd", "en-US")?.replaceAll("\u00a0", " "),
    "“1,000” can mean 1.000 KWD or 1,000.000 KWD. Enter 1.000 or 1000.000.",
  );
  assert.equal(
    faultOfAmount("1.000", "usd", "en-US"),
    "“1.000” can mean $1.00 or $1,000.00. Enter 1.00 or 1000.00.",
  );
  assert.equal(
    faultOfAmount("1.999", "usd", "en-US"),
    "“1.999” can mean $1,999.00, or an amount with more decimals than USD allows. Enter 1999.00.",
  );
  assert.equal(parseAmount("1,000", "eur", "de-DE").kind, "unclear");
  assert.equal(parseAmount("1.000", "kwd", "de-DE").kind, "unclear");
});

test("each suggested spelling of an ambiguous amount is unambiguous", () => {
  const unclear = fc.tuple(
    fc.integer({ min: 1, max: 999 }),
    fc.constantFrom(".", ","),
    fc.stringMatching(/^\d{3}$/),
  );
  fc.assert(
    fc.property(unclear, currency, locale, ([before, mark, behind], code, of) => {
      const read = parseAmount(`${before}${mark}${behind}`, code, of);
      if (read.kind !== "unclear") return;
      for (const minor of read.readings) {
        assert.equal(parseMoney(moneyText(minor, code, of), code, of), minor);
      }
    }),
  );
});
