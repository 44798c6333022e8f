import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecretKey } from "../identity/api-keys/key-text.ts";
import { maskSecrets } from "./mask-secrets.ts";

test("a card number is masked whether spaces, dashes or nothing separates its digits", () => {
  for (const number of [
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "378282246310005",
    "38000000000006",
    "6304000000000000000",
  ]) {
    const masked = maskSecrets(`{"msg":"declined ${number} twice"}`);
    assert.equal(masked, '{"msg":"declined •••• twice"}', number);
  }
});

test("numbers that are not card numbers are not masked", () => {
  for (const line of [
    '{"time":1795239997123,"amount":1999}',
    "4242424242424241 fails the check digit",
    "00000000000000000000 has too many digits",
    "123456789012 has too few",
  ]) {
    assert.equal(maskSecrets(line), line);
  }
});

test("secret keys, signing secrets and client secrets are masked", () => {
  const key = newSecretKey(false);
  const masked = maskSecrets(
    `Bearer ${key} whsec_${"aB3+/".repeat(8)}= secret_${"x-_9".repeat(10)}`,
  );
  assert.equal(masked, "Bearer sk_test_••• whsec_••• secret_•••");
});
