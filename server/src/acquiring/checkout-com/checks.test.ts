import assert from "node:assert/strict";
import { test } from "node:test";
import { checksOf } from "./checks.ts";

test("the codes of a response become the results of the checks", () => {
  assert.deepEqual(checksOf("Y", "Y"), {
    cvcCheck: "pass",
    addressLine1Check: "pass",
    addressPostalCodeCheck: "pass",
  });
  assert.deepEqual(checksOf("A", "D"), {
    cvcCheck: "fail",
    addressLine1Check: "pass",
    addressPostalCodeCheck: "fail",
  });
});

test("a code that Checkout.com does not document is unavailable, and an absent one has no result", () => {
  assert.deepEqual(checksOf("?", "?"), {
    cvcCheck: "unavailable",
    addressLine1Check: "unavailable",
    addressPostalCodeCheck: "unavailable",
  });
  assert.deepEqual(checksOf(null, null), {
    cvcCheck: null,
    addressLine1Check: null,
    addressPostalCodeCheck: null,
  });
});
