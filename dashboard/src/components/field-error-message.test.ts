import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorMessage } from "./field-error-message.ts";

test("a field's error contains no parameter name", () => {
  const url = {
    code: "url_invalid",
    param: "url",
    message:
      "`url` must be an absolute http or https URL. Send a URL such as `https://shop.example`.",
  } as const;
  assert.equal(
    fieldErrorMessage(url),
    "This must be an absolute http or https URL. Send a URL such as https://shop.example.",
  );
});

test("an error in a list names the entry, counted from one", () => {
  const origin = {
    code: "url_invalid",
    param: "allowed_origins[1]",
    message: "`allowed_origins[1]` must be an origin.",
  } as const;
  assert.equal(fieldErrorMessage(origin), "Entry 2 must be an origin.");
});

test("a missing field has its own message", () => {
  const missing = {
    code: "parameter_missing",
    param: "name",
    message: "`name` is missing.",
  } as const;
  assert.equal(fieldErrorMessage(missing), "This field is required.");
});
