import { isUtf8 } from "node:buffer";
import { ApiError } from "../primitives/api-error.ts";

/**
 * Reads a JSON body without guessing. JSON.parse would let pass what two readers understand differently, and a
 * fingerprint over such a body would be worth nothing: the same key twice in an object, integers that lose
 * digits, numbers that overflow, `__proto__`, malformed UTF-8 and lone surrogates. All are refused (RFC 7493).
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notJson("it is not valid UTF-8");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(whereItFails(error));
  }
  refuseAmbiguities(text);
  return value;
}

function notJson(why: string): ApiError {
  return new ApiError("body_invalid_json", `The body must be one JSON object, and ${why}.`);
}

/**
 * The parser's own sentence quotes what surrounds the mistake, and that can be a card number. So only the place is
 * told, where the parser tells it; and no error below repeats a value.
 */
function whereItFails(error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  return position ? `it stops being JSON at character ${position}` : "it does not parse";
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;

/** Walks a text that JSON.parse accepted, so that only what it tolerates needs looking for. */
function refuseAmbiguities(text: string): void {
  // The keys seen so far of each open object; null stands for an open array.
  const open: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let expectsKey = false;
  let index = 0;
  while (index < text.length) {
    const character = text.charCodeAt(index);
    if (character === quote) {
      const end = endOfString(text, index);
      const literal = text.slice(index + 1, end);
      const content = literal.includes("\\") ? unescaped(literal) : literal;
      if (expectsKey && keys) refuseKey(keys, content);
      expectsKey = false;
      index = end + 1;
      continue;
    }
    if (character === openBrace) {
      keys = new Set();
      open.push(keys);
      expectsKey = true;
    } else if (character === openBracket) {
      keys = null;
      open.push(null);
      expectsKey = false;
    } else if (character === closeBrace || character === closeBracket) {
      open.pop();
      keys = open.at(-1) ?? null;
      expectsKey = false;
    } else if (character === comma) {
      expectsKey = keys !== null;
    } else if (isDigitOrMinus(character)) {
      index = endOfNumber(text, index);
      continue;
    } else if (character === colon) {
      expectsKey = false;
    }
    index += 1;
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  for (;;) {
    const character = text.charCodeAt(index);
    if (character === quote) return index;
    index += character === backslash ? 2 : 1;
  }
}

function unescaped(literal: string): string {
  const content = JSON.parse(`"${literal}"`) as string;
  if (!content.isWellFormed()) {
    throw new ApiError(
      "invalid_characters",
      "The body holds half of a surrogate pair (\\ud800 to \\udfff); send whole characters.",
    );
  }
  if (content.includes("\0")) {
    throw new ApiError(
      "invalid_characters",
      "The body holds a NUL character (\\u0000), which cannot be stored; leave it out.",
    );
  }
  return content;
}

function refuseKey(keys: Set<string>, key: string): void {
  if (key === "__proto__") throw notJson("the key '__proto__' is not allowed");
  if (keys.has(key)) throw notJson(`${quotedName(key)} stands twice in one object`);
  keys.add(key);
}

/** A name as our parameters are spelt is told; anything else may be data that slipped into the place of one. */
function quotedName(key: string): string {
  return /^[a-z][a-z_]{0,39}$/i.test(key) ? `the key '${key}'` : "a key";
}

function isDigitOrMinus(character: number): boolean {
  return (character >= 0x30 && character <= 0x39) || character === 0x2d;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isNumberCharacter(text.charCodeAt(end))) end += 1;
  const literal = text.slice(start, end);
  const value = Number(literal);
  if (!Number.isFinite(value)) throw notJson("a number is too large");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notJson("an integer is beyond 2^53 and would lose digits");
  }
  return end;
}

/** Digits, sign, point and exponent. */
function isNumberCharacter(character: number): boolean {
  return (
    isDigitOrMinus(character) ||
    character === 0x2e ||
    character === 0x2b ||
    character === 0x65 ||
    character === 0x45
  );
}
