import assert from "node:assert/strict";
import test from "node:test";
import { luhnCheckDigit, passesLuhn } from "@florin/contract/luhn.ts";
import fc from "fast-check";
import { parseCard, type TypedCard } from "./parse-card.ts";

const now = new Date("2026-05-15T12:00:00Z");
const good: TypedCard = {
  number: "4242 4242 4242 4242",
  expMonth: 12,
  expYear: 2030,
  securityCode: "123",
  postalCode: null,
  addressLine1: null,
};

function read(change: Partial<TypedCard>, at = now): string {
  const parsed = parseCard({ ...good, ...change }, at);
  return parsed.kind === "card" ? parsed.card.brand : parsed.problem;
}

test("a number is parsed with spaces, no-break spaces and dashes, and its brand is detected", () => {
  assert.equal(read({}), "visa");
  assert.equal(read({ number: "4242-4242-4242-4242" }), "visa");
  assert.equal(read({ number: "4242\u00a04242\u00a04242\u00a04242" }), "visa");
  assert.equal(read({ number: "3782 822463 10005", securityCode: "1234" }), "amex");
  assert.equal(read({ number: "38000000000006" }), "diners");
  assert.equal(read({ number: "6200000000000005" }), "unionpay");
  assert.equal(read({ number: "2223003122003222" }), "mastercard");
});

test("text other than 12 to 19 digits is not a card number", () => {
  for (const number of [
    "",
    "4242",
    "4242424242424242x",
    "4242.4242.4242.4242",
    "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢",
    "42424242424242424242",
    "4242424242424242\0",
    "4242424242424", // 13 digits, which is not a Visa length
  ]) {
    assert.match(read({ number }), /^in(valid|correct)_number$/, number);
  }
  assert.equal(read({ number: "42424242424242424242" }), "invalid_number");
});

test("a number of a wrong length for its network is invalid even with a valid check digit", () => {
  const digits = "424242424242";
  assert.equal(read({ number: digits + luhnCheckDigit(digits) }), "invalid_number");
});

test("every single-digit error is detected, and a valid number is never rejected", () => {
  const digits = fc.stringMatching(/^[0-9]{11,18}$/);
  fc.assert(
    fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (payload, place, change) => {
      const number = payload + luhnCheckDigit(payload);
      assert.ok(passesLuhn(number));
      const at = place % number.length;
      const wrong = (Number(number[at]) + change) % 10;
      assert.ok(!passesLuhn(number.slice(0, at) + wrong + number.slice(at + 1)));
    }),
  );
  assert.equal(read({ number: "4242424242424241" }), "incorrect_number");
});

test("a card is valid until its month is over in every time zone", () => {
  assert.equal(read({ expMonth: 5, expYear: 2026 }), "visa");
  assert.equal(read({ expMonth: 4, expYear: 2026 }), "expired_card");
  assert.equal(read({ expMonth: 4, expYear: 26 }), "expired_card");
  const may = { expMonth: 5, expYear: 2026 };
  assert.equal(read(may, new Date("2026-06-01T11:59:59Z")), "visa");
  assert.equal(read(may, new Date("2026-06-01T12:00:00Z")), "expired_card");
});

test("impossible months and years have different codes", () => {
  for (const expMonth of [0, 13, -1, 1.5, Number.NaN]) {
    assert.equal(read({ expMonth }), "invalid_expiry_month");
  }
  for (const expYear of [-1, 100, 999, 2077, 2030.5, Number.NaN]) {
    assert.equal(read({ expYear }), "invalid_expiry_year");
  }
  assert.equal(read({ expYear: 30 }), "visa");
});

test("a security code has four digits for Amex and three for other brands, or is absent", () => {
  const amex = "378282246310005";
  assert.equal(read({ securityCode: null }), "visa");
  assert.equal(read({ securityCode: "1234" }), "invalid_cvc");
  assert.equal(read({ securityCode: "12a" }), "invalid_cvc");
  assert.equal(read({ securityCode: "" }), "invalid_cvc");
  assert.equal(read({ number: amex, securityCode: "123" }), "invalid_cvc");
  assert.equal(read({ number: amex, securityCode: "1234" }), "amex");
});
