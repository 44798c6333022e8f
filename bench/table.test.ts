import assert from "node:assert/strict";
import { test } from "node:test";
import { oneDecimal, table, whole } from "./table.ts";

test("figures are aligned right under their titles and names left", () => {
  const text = table(
    ["scenario", "per second"],
    [
      ["charges", "12,345"],
      ["a longer name", "7"],
    ],
  );
  assert.equal(
    text,
    [
      "scenario       per second",
      "─────────────────────────",
      "charges            12,345",
      "a longer name           7",
    ].join("\n"),
  );
});

test("a short row has empty last columns and no trailing spaces", () => {
  assert.equal(table(["a", "b"], [["x"]]).split("\n")[2], "x");
});

test("numbers are grouped, and a missing value is a dash", () => {
  assert.equal(whole(1234567.8), "1,234,568");
  assert.equal(whole(null), "–");
  assert.equal(whole(Number.NaN), "–");
  assert.equal(oneDecimal(3.14), "3.1");
  assert.equal(oneDecimal(null), "–");
});
