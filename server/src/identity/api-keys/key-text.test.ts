import assert from "node:assert/strict";
import { test } from "node:test";
import { isLiveKey, newSecretKey, parseSecretKey } from "./key-text.ts";

test("a new key names its mode and is recognized as valid", () => {
  for (const livemode of [true, false]) {
    const key = newSecretKey(livemode);
    assert.match(key, livemode ? /^sk_live_[0-9A-Za-z]{38}$/ : /^sk_test_[0-9A-Za-z]{38}$/);
    assert.equal(parseSecretKey(key), key);
    assert.equal(isLiveKey(key), livemode);
  }
});

test("a restricted key names its type and mode", () => {
  const key = newSecretKey(true, true);
  assert.match(key, /^rk_live_[0-9A-Za-z]{38}$/);
  assert.equal(parseSecretKey(key), key);
  assert.equal(isLiveKey(key), true);
  assert.equal(parseSecretKey(key.replace("rk_", "sk_")), null);
});

test("a thousand new keys are unique", () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newSecretKey(false))).size, 1_000);
});

test("a key with one wrong character is rejected without a database query", () => {
  const key = newSecretKey(false);
  for (let index = 0; index < key.length; index++) {
    const other = key[index] === "x" ? "y" : "x";
    assert.equal(parseSecretKey(`${key.slice(0, index)}${other}${key.slice(index + 1)}`), null);
  }
});

test("a key with two swapped characters is rejected", () => {
  const key = newSecretKey(false);
  for (let index = 8; index < key.length - 1; index++) {
    if (key[index] === key[index + 1]) continue;
    const swapped = `${key.slice(0, index)}${key[index + 1]}${key[index]}${key.slice(index + 2)}`;
    assert.equal(parseSecretKey(swapped), null);
  }
});

test("changing the prefix of a test key does not make it a live key", () => {
  assert.equal(parseSecretKey(newSecretKey(false).replace("sk_test_", "sk_live_")), null);
});

test("a truncated, extended or decorated key is rejected", () => {
  const key = newSecretKey(false);
  for (const text of [
    "",
    "sk_test_",
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    key.toUpperCase(),
    `${key}\n`,
  ]) {
    assert.equal(parseSecretKey(text), null);
  }
});
