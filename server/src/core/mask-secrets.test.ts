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

test("a security code is masked under each of its names, even in JSON within a JSON string", () => {
  for (const name of ["cvc", "CVC2", "cvv", "cvv2", "security_code"]) {
    assert.equal(maskSecrets(`{"${name}": 737}`), `{"${name}": "•••"}`);
    assert.equal(maskSecrets(`{"${name}":"1234"}`), `{"${name}":"•••"}`);
    const nested = JSON.stringify({ card: JSON.stringify({ [name]: "737" }) });
    assert.equal(maskSecrets(nested), nested.replace("737", "•••"));
  }
  for (const other of ['{"cvc_check":"pass"}', '{"cvc":"pass"}', '{"cvc":73712}']) {
    assert.equal(maskSecrets(other), other);
  }
});

test("masking takes linear time for texts in which many positions could begin a secret", () => {
  const texts = [
    "\\".repeat(60_000),
    `"cvc":${" ".repeat(60_000)}x`,
    `"cvc"${" ".repeat(60_000)}x`,
    `"cvc":"${" ".repeat(60_000)}x`,
    `"cvc": 737${" ".repeat(60_000)}x`,
    `${'"cvc":'.repeat(10_000)}x`,
    "secret_".repeat(8_000),
  ];
  for (const text of texts) {
    const before = process.threadCpuUsage();
    maskSecrets(text);
    const { user } = process.threadCpuUsage(before);
    // Linear time is about a millisecond. Quadratic time is several seconds.
    assert.ok(user < 200_000, `${text.slice(0, 10)}: ${user} µs`);
  }
});
