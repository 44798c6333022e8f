import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The text of a secret key: `sk_test_` or `sk_live_`, 32 random letters of base62 (190 bits), and 6 more that
 * are the CRC-32 of all before them, so that a typing mistake is told from a revoked key without a look into
 * the database.
 */
export type SecretKey = `sk_test_${string}` | `sk_live_${string}`;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLetters = 32;
const checksumLetters = 6;
const form = new RegExp(`^sk_(?:test|live)_[0-9A-Za-z]{${randomLetters + checksumLetters}}$`);

export function newSecretKey(livemode: boolean): SecretKey {
  let random = "";
  for (let count = 0; count < randomLetters; count++)
    random += alphabet[randomInt(alphabet.length)];
  const unchecked = `sk_${livemode ? "live" : "test"}_${random}`;
  return `${unchecked}${checksum(unchecked)}` as SecretKey;
}

/** Null when the text cannot be a key of ours: a letter is missing or mistyped. */
export function parseSecretKey(text: string): SecretKey | null {
  if (!form.test(text)) return null;
  const body = text.slice(0, -checksumLetters);
  return checksum(body) === text.slice(-checksumLetters) ? (text as SecretKey) : null;
}

export function isLiveKey(key: SecretKey): boolean {
  return key.startsWith("sk_live_");
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
