import assert from "node:assert/strict";
import { test } from "node:test";
import { luhnCheckDigit } from "@florin/contract/luhn.ts";
import fc from "fast-check";
import { anyCharacter } from "../../test/any-character.ts";
import { dose } from "../../test/test-size.ts";
import { findCardData, mayContainCardData } from "./card-data.ts";
import { isCardNumber } from "./card-number-in-text.ts";

const cardNumber = fc
  .stringMatching(/^(?:4[0-9]{14}|5[1-5][0-9]{13}|3[47][0-9]{12})$/)
  .map((digits) => digits + luhnCheckDigit(digits));
const separator = fc.constantFrom("", " ", "-", ".", "\u00a0", "\u200b", " - ");
const writtenNumber = fc
  .tuple(cardNumber, separator)
  .map(([digits, between]) => (digits.match(/.{1,4}/g) as string[]).join(between));
/**
 * Some JSON numbers show the digits of a card number only after parsing. For example, 4.2424242424e15 has sixteen
 * digits.
 */
const numberValue = fc.oneof(
  cardNumber.map(Number),
  fc
    .integer({ min: 4_000, max: 9_999 })
    .map((start) => start * 1e12)
    .filter((value) => isCardNumber(`${value}`)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const leaf = fc.oneof(
  fc.string({ unit: anyCharacter }),
  writtenNumber,
  fc.tuple(fc.string(), writtenNumber).map((parts) => parts.join(" ")),
  numberValue,
  fc.constantFrom("123", "0421", null, true),
);
const name = fc.oneof(fc.string(), writtenNumber, fc.constantFrom("cvc", "CVV2", "Security_Code"));
const body = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value")), tie("object")),
  object: fc.dictionary(name, tie("value"), { maxKeys: 6 }),
})).object;

/** The ways in which clients write the same JSON. */
const asJson: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) =>
    JSON.stringify(value).replace(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  (value) => JSON.stringify(value).replace(/([0-9])0{6}(?=[,}\]])/g, "$1e6"),
];

test("the prefilter matches every body with card data", () => {
  const bodies = dose("bodies", { short: 600, long: 30_000 });
  let found = 0;
  fc.assert(
    fc.property(body, fc.constantFrom(...asJson), (value, write) => {
      const json = write(value);
      if (findCardData(JSON.parse(json)) === null) return;
      found += 1;
      assert.ok(mayContainCardData(Buffer.from(json).toString("latin1")), json);
    }),
    { numRuns: bodies },
  );
  assert.ok(found > bodies / 10, `only ${found} bodies contained card data`);
});

test("a security code is found as a string, a number or an item of a list, and not in an object", () => {
  const found = { param: "cvc", what: "a security code" };
  for (const cvc of ["123", " 0421 ", 123, ["123"], [[null, 123]]]) {
    assert.deepEqual(findCardData({ cvc }), found);
  }
  for (const cvc of ["12", "12345", null, true, { toString: "123" }, [{ valueOf: 1 }]]) {
    assert.equal(findCardData({ cvc }), null);
  }
});

test("the prefilter does not match an ordinary charge", () => {
  const charge = {
    amount: 129_900,
    currency: "usd",
    payment_method_id: "pm_01m825zjzre1kvwa71yppf0vjf",
    client_reference_id: "order-2026-11-0042",
    metadata: { cart: "f3a9", customer: "ada@example.com" },
  };
  assert.equal(mayContainCardData(JSON.stringify(charge)), false);
});
