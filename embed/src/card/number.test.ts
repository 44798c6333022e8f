import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { brandOf } from "./brand.ts";
import { caretAfter } from "./formatted-edit.ts";
import { editNumber, formatNumber, numberProblem, passesLuhn } from "./number.ts";

test("a number is grouped as on cards of its brand", () => {
  assert.equal(formatNumber("4242424242424242"), "4242 4242 4242 4242");
  assert.equal(formatNumber("378282246310005"), "3782 822463 10005");
  assert.equal(formatNumber("3056930009020004"), "3056 930009 020004");
  assert.equal(formatNumber("6200000000000000003"), "6200 0000 0000 0000 003");
});

test("the brand is detected as soon as the first digits identify it, and not earlier", () => {
  assert.equal(brandOf("4242").brand, "visa");
  assert.equal(brandOf("5555").brand, "mastercard");
  assert.equal(brandOf("2223").brand, "mastercard");
  assert.equal(brandOf("34").brand, "amex");
  assert.equal(brandOf("6011").brand, "discover");
  assert.equal(brandOf("3566").brand, "jcb");
  assert.equal(brandOf("6200").brand, "unionpay");
  assert.equal(brandOf("36").brand, "diners");
  assert.equal(brandOf("3").brand, null);
  assert.equal(brandOf("").brand, null);
});

test("the CVC has four digits for American Express and three for every other brand", () => {
  assert.equal(brandOf("378282246310005").cvcLength, 4);
  assert.equal(brandOf("4242424242424242").cvcLength, 3);
  assert.equal(brandOf("").cvcLength, 3);
});

test("a test card passes the Luhn check and fails it with one digit changed", () => {
  const cards = ["4242424242424242", "5555555555554444", "2223003122003222", "378282246310005"];
  cards.push("6011111111111117", "38000000000006", "3566002020360505", "6200000000000005");
  for (const card of cards) assert.equal(numberProblem(card), null, card);
  assert.equal(numberProblem("4242424242424241"), "number_invalid");
});

test("empty, too short and too long numbers have different problems", () => {
  assert.equal(numberProblem(""), "number_missing");
  assert.equal(numberProblem("4242 4242"), "number_incomplete");
  assert.equal(numberProblem("42424242424242424242"), "number_invalid");
});

/** Inserts a text into the field after the given number of digits, as typing, a paste or autofill does. */
function insert(before: string, text: string, digitsBefore = before.replaceAll(" ", "").length) {
  const caret = caretAfter(before, digitsBefore);
  const after = {
    text: before.slice(0, caret) + text + before.slice(caret),
    caret: caret + text.length,
  };
  return editNumber({ before, after, inputType: "insertText" });
}

test("digits beyond the longest number of the brand are not accepted", () => {
  const typed = (digits: string) =>
    [...digits].reduce((text, digit) => insert(text, digit).text, "");
  assert.equal(typed("42424242424242424242424"), "4242 4242 4242 4242 424");
  assert.equal(typed("3782822463100051234"), "3782 822463 10005");
  assert.equal(typed("55555555555544449999"), "5555 5555 5555 4444");
  assert.deepEqual(insert("3782 822463 10005", "9", 4), { text: "3782 822463 10005", caret: 4 });
});

test("a pasted number keeps all its digits, with spaces, dashes, other digits before it or an expiry after it", () => {
  assert.equal(insert("", "4242-4242-4242-4242").text, "4242 4242 4242 4242");
  assert.equal(insert("", " 3782 822463 10005 ").text, "3782 822463 10005");
  assert.equal(insert("", "6200000000000000003").text, "6200 0000 0000 0000 003");
  assert.equal(insert("5105 10", "5555 5555 5555 4444").text, "5555 5555 5555 4444");
  assert.equal(insert("4242 4242", "4242 4242 4242 4242").text, "4242 4242 4242 4242");
  assert.equal(insert("", "4242 4242 4242 4242 12/30").text, "4242 4242 4242 4242");
});

test("the Luhn check detects every single-digit error", () => {
  const number = "4242424242424242";
  fc.assert(
    fc.property(fc.nat(15), fc.integer({ min: 1, max: 9 }), (place, shift) => {
      const wrong = (Number(number[place]) + shift) % 10;
      assert.equal(passesLuhn(number.slice(0, place) + wrong + number.slice(place + 1)), false);
    }),
  );
});
