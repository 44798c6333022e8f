import assert from "node:assert/strict";
import { test } from "node:test";
import { isLiveKey, newSecretKey, parseSecretKey } from "./key-text.ts";

test("a new key says its mode and is recognised whole", () => {
  for (const livemode of [true, false]) {
    const key = newSecretKey(livemode);
    assert.match(key, livemode ? /^sk_live_[0-9A-Za-z]{38}$/ : /^sk_test_[0-9A-Za-z]{38}$/);
    assert.equal(parseSecretKey(key), key);
    assert.equal(isLiveKey(key), livemode);
  }
});

test("a restricted key says so, and its mode", () => {
  const key = newSecretKey(true, true);
  assert.match(key, /^rk_live_[0-9A-Za-z]{38}$/);
  assert.equal(parseSecretKey(key), key);
  assert.equal(isLiveKey(key), true);
  assert.equal(parseSecretKey(key.replace("rk_", "sk_")), null);
});

test("a thousand keys are a thousand keys", () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newSecretKey(false))).size, 1_000);
});

test("one wrong letter anywhere is told from a key without asking the database", () => {
  const key = newSecretKey(false);
  for (let index = 0; index < key.length; index++) {
    const other = key[index] === "x" ? "y" : "x";
    assert.equal(parseSecretKey(`${key.slice(0, index)}${other}${key.slice(index + 1)}`), null);
  }
});

test("two letters that changed places are told as well", () => {
  const key = newSecretKey(false);
  for (let index = 8; index < key.length - 1; index++) {
    if (key[index] === key[index + 1]) continue;
    const swapped = `${key.slice(0, index)}${key[index + 1]}${key[index]}${key.slice(index + 2)}`;
    assert.equal(parseSecretKey(swapped), null);
  }
});

test("a test key cannot be turned into a live one by its prefix", () => {
  assert.equal(parseSecretKey(newSecretKey(false).replace("sk_test_", "sk_live_")), null);
});

test("a key that is cut, lengthened or dressed up is no key", () => {
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
