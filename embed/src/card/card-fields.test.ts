import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreCard } from "@florin/contract/frame.ts";
import { checkOf } from "@florin/contract/violation.ts";
import { emptyFields, maxCharacters, problemsOf } from "./card-fields.ts";
import { digitsOf } from "./digits.ts";

const now = new Date(2026, 10, 1);
const good = {
  number: "4242 4242 4242 4242",
  expiry: "12 / 30",
  cvc: "123",
  name: "Ada Lovelace",
  postal_code: "",
};
const options = { postalCode: false };

test("a valid form has no problems, and each invalid field has a specific one", () => {
  assert.deepEqual(problemsOf(good, now, options), {});
  assert.deepEqual(problemsOf({ ...emptyFields, name: " " }, now, options), {
    number: "number_missing",
    expiry: "expiry_missing",
    cvc: "cvc_missing",
    name: "name_missing",
  });
});

test("a missing postal code is a problem only if the form requires one", () => {
  assert.deepEqual(problemsOf(good, now, { postalCode: true }), {
    postal_code: "postal_code_missing",
  });
  assert.deepEqual(problemsOf({ ...good, postal_code: "10001" }, now, { postalCode: true }), {});
});

test("the CVC length depends on the brand of the card number", () => {
  const amex = { ...good, number: "3782 822463 10005" };
  assert.deepEqual(problemsOf(amex, now, options), { cvc: "cvc_incomplete" });
  assert.deepEqual(problemsOf({ ...amex, cvc: "1234" }, now, options), {});
  assert.deepEqual(problemsOf({ ...good, cvc: "1234" }, now, options), { cvc: "cvc_invalid" });
});

test("digits of other scripts are accepted as digits", () => {
  assert.equal(digitsOf("٤٢٤٢ ۴۲ ４２ ४२"), "4242424242");
});

test("a field has the same maximum length as in the vault", () => {
  const rejected = (fields: object) => {
    const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" };
    return checkOf(StoreCard)({ checkout_session_id: "cs_1", ...card, ...fields })?.param;
  };
  for (const [field, max] of Object.entries(maxCharacters)) {
    assert.equal(rejected({ [field]: "a".repeat(max) }), undefined);
    assert.equal(rejected({ [field]: "a".repeat(max + 1) }), field);
  }
});
