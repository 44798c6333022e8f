import assert from "node:assert/strict";
import { test } from "node:test";
import { editExpiry, expiryProblem, parseExpiry } from "./expiry.ts";

const typed = (before: string, text: string) =>
  editExpiry({ before, after: { text, caret: text.length }, inputType: "insertText" }).text;
const filled = (text: string) =>
  editExpiry({ before: "", after: { text, caret: text.length }, inputType: null }).text;

test("four digits are formatted as month and year", () => {
  assert.equal(typed("12", "123"), "12 / 3");
  assert.equal(typed("12 / 3", "12 / 30"), "12 / 30");
});

test("a month that can have only one digit gets a leading zero", () => {
  assert.equal(typed("", "5"), "05");
  assert.equal(typed("1", "1/"), "01");
  assert.equal(typed("", "1"), "1");
});

test("autofilled and pasted formats are parsed", () => {
  assert.equal(filled("12/30"), "12 / 30");
  assert.equal(filled("5/30"), "05 / 30");
  assert.equal(filled("12/2030"), "12 / 2030");
  assert.equal(filled("2030-12"), "12 / 2030");
  assert.equal(filled("1230"), "12 / 30");
});

test("deleting a digit of the month keeps the other digits", () => {
  const edit = { before: "12 / 28", after: { text: "1 / 28", caret: 1 } };
  const shorter = editExpiry({ ...edit, inputType: "deleteContentBackward" });
  assert.deepEqual(shorter, { text: "12 / 8", caret: 1 });
});

test("a card is valid until the last day of its month", () => {
  assert.equal(expiryProblem("11 / 26", new Date(2026, 10, 30, 23, 59)), null);
  assert.equal(expiryProblem("11 / 26", new Date(2026, 11, 1)), "expiry_past");
});

test("each problem of an expiry date has a specific code", () => {
  const now = new Date(2026, 10, 1);
  assert.equal(expiryProblem("", now), "expiry_missing");
  assert.equal(expiryProblem("12", now), "expiry_incomplete");
  assert.equal(expiryProblem("13 / 30", now), "expiry_month_invalid");
  assert.equal(expiryProblem("00 / 30", now), "expiry_month_invalid");
  assert.equal(expiryProblem("12 / 99", now), "expiry_year_invalid");
  assert.equal(expiryProblem("12 / 20301", now), "expiry_year_invalid");
});

test("two-digit and four-digit years are parsed to the same date", () => {
  assert.deepEqual(parseExpiry("12 / 30"), { month: 12, year: 2030 });
  assert.deepEqual(parseExpiry("12 / 2030"), { month: 12, year: 2030 });
  assert.equal(parseExpiry("12 / 3"), null);
});
