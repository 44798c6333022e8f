import assert from "node:assert/strict";
import { test } from "node:test";
import { faultInWords } from "./fault-in-words.ts";

test("a field's fault is said to people, without the names that programs use", () => {
  const url = {
    code: "url_invalid",
    param: "url",
    message:
      "`url` must be an absolute http or https URL. Send one such as `https://shop.example`.",
  } as const;
  assert.equal(
    faultInWords(url),
    "This must be an absolute http or https URL. Send one such as https://shop.example.",
  );
});

test("of a list in one field, the entry at fault is counted as people count", () => {
  const origin = {
    code: "url_invalid",
    param: "allowed_origins[1]",
    message: "`allowed_origins[1]` must be an origin.",
  } as const;
  assert.equal(faultInWords(origin), "Entry 2 must be an origin.");
});

test("what is told better in words of its own is", () => {
  const missing = {
    code: "parameter_missing",
    param: "name",
    message: "`name` is missing.",
  } as const;
  assert.equal(faultInWords(missing), "Fill this in.");
});
