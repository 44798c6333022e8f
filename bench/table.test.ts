import assert from "node:assert/strict";
import { test } from "node:test";
import { oneDecimal, table, whole } from "./table.ts";

test("figures stand flush right under their titles, and names flush left", () => {
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

test("a row that is short leaves its last columns empty, with no spaces at the end of the line", () => {
  assert.equal(table(["a", "b"], [["x"]]).split("\n")[2], "x");
});

test("numbers are grouped, and what was not measured is a dash", () => {
  assert.equal(whole(1234567.8), "1,234,568");
  assert.equal(whole(null), "–");
  assert.equal(whole(Number.NaN), "–");
  assert.equal(oneDecimal(3.14), "3.1");
  assert.equal(oneDecimal(null), "–");
});
