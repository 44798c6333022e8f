import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTotp, stepOf } from "./totp.ts";

/**
 * The secret and the first codes of RFC 6238, appendix B. These codes have eight digits, of which apps show the last
 * six.
 */
const secret = Buffer.from("12345678901234567890");
const published = [
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
] as const;

test("codes match those of RFC 6238", () => {
  for (const [seconds, code] of published) {
    assert.equal(stepOf(code, secret, new Date(seconds * 1000)), Math.floor(seconds / 30));
  }
});

test("accepts codes of the current step and of one step before and after, with or without a space, and no others", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const [seconds, code] = published[2];
  const step = Math.floor(seconds / 30);
  assert.equal(stepOf("050 471", secret, at(seconds)), step);
  assert.equal(stepOf(code, secret, at(seconds - 30)), step);
  assert.equal(stepOf(code, secret, at(seconds + 30)), step);
  assert.equal(stepOf(code, secret, at(seconds + 60)), null);
  assert.equal(stepOf(code, secret, at(seconds - 90)), null);
  for (const wrong of ["", "50471", "0050471", "o50471", "050472"]) {
    assert.equal(stepOf(wrong, secret, at(seconds)), null);
  }
});

test("the setup URI names the person and the service", () => {
  const { uri } = describeTotp(secret, "ada@example.com");
  const url = new URL(uri);
  assert.equal(decodeURIComponent(url.pathname).endsWith("Florin:ada@example.com"), true);
  assert.equal(url.searchParams.get("secret"), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
});
