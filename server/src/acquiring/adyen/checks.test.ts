import assert from "node:assert/strict";
import { test } from "node:test";
import { avsResults, checksOf, cvcResults } from "./checks.ts";

test("every AVS result maps to its checks, with and without Adyen's text", () => {
  assert.deepEqual(
    Object.keys(avsResults),
    Array.from({ length: 27 }, (_, number) => String(number)),
  );
  for (const [number, expected] of Object.entries(avsResults)) {
    for (const result of [number, `${number} Some text`]) {
      assert.deepEqual(checksOf(result, null), { ...expected, cvcCheck: null });
    }
  }
});

test("every CVC result maps to its check", () => {
  assert.deepEqual(Object.keys(cvcResults), ["0", "1", "2", "3", "4", "5", "6"]);
  for (const [number, expected] of Object.entries(cvcResults)) {
    assert.equal(checksOf(null, `${number} Some text`).cvcCheck, expected);
  }
});

test("matches pass and mismatches fail", () => {
  assert.deepEqual(checksOf("7 Both postal code and address match", "1 Matches"), {
    addressLine1Check: "pass",
    addressPostalCodeCheck: "pass",
    cvcCheck: "pass",
  });
  assert.deepEqual(checksOf("1 Address matches, postal code doesn't", "2 Doesn't match"), {
    addressLine1Check: "pass",
    addressPostalCodeCheck: "fail",
    cvcCheck: "fail",
  });
});

test("a result outside the tables never passes", () => {
  for (const result of ["27", "7x", "x7", "777", "-1", "Matches"]) {
    const checks = checksOf(result, result);
    assert.deepEqual(Object.values(checks), ["unavailable", "unavailable", "unavailable"], result);
  }
});

test("absent results are null", () => {
  for (const absent of [null, ""]) {
    assert.deepEqual(Object.values(checksOf(absent, absent)), [null, null, null]);
  }
});
