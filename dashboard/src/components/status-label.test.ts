import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, statusLabel } from "./status-label.ts";

test("API names are shown in sentence case, with acronyms in capitals", () => {
  assert.deepEqual(
    ["requires_action", "incorrect_cvc", "pin_try_exceeded", "approve_with_id"].map(inWords),
    ["Requires action", "Incorrect CVC", "PIN try exceeded", "Approve with ID"],
  );
});

test("a status has the same label everywhere", () => {
  assert.deepEqual(["given_up", "in_review"].map(statusLabel), ["Failed", "In review"]);
});
