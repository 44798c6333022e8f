import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The text of a key. The prefix `sk_test_` or `sk_live_` marks a secret key and `rk_` a restricted key, so that a
 * person who finds a leaked key knows its kind. 32 random base62 characters (190 bits) follow. The last 6 characters
 * are the CRC-32 of all characters before them, so that a mistyped key is rejected without a database query.
 */
export type SecretKey = `${"sk" | "rk"}_${"test" | "live"}_${string}`;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLetters = 32;
const checksumLetters = 6;
const form = new RegExp(`^[sr]k_(?:test|live)_[0-9A-Za-z]{${randomLetters + checksumLetters}}$`);

export function newSecretKey(livemode: boolean, restricted = false): SecretKey {
  let random = "";
  for (let count = 0; count < randomLetters; count++)
    random += alphabet[randomInt(alphabet.length)];
  const unchecked = `${keyBeginning(livemode, restricted)}${random}`;
  return `${unchecked}${checksum(unchecked)}` as SecretKey;
}

/** Returns null when the text cannot be a key, for example because a character is missing or mistyped. */
export function parseSecretKey(text: string): SecretKey | null {
  if (!form.test(text)) return null;
  const body = text.slice(0, -checksumLetters);
  return checksum(body) === text.slice(-checksumLetters) ? (text as SecretKey) : null;
}

export function keyBeginning(livemode: boolean, restricted: boolean) {
  return `${restricted ? "rk" : "sk"}_${livemode ? "live" : "test"}_` as const;
}

export function isLiveKey(key: SecretKey): boolean {
  return key.slice(3, 7) === "live";
}

function checksum(text: string): string {
  let rest = crc32(text);
  let letters = "";
  for (let count = 0; count < checksumLetters; count++) {
    letters = alphabet[rest % alphabet.length] + letters;
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}
