import { isUtf8 } from "node:buffer";
import type { ErrorCode } from "@florin/contract/errors.ts";
import { elementPath, memberPath } from "@florin/contract/parameter-path.ts";
import { ApiError } from "../../core/api-error.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";

/** The maximum nesting of a body. The deepest request schema has five levels. */
const maxJsonDepth = 16;

/** The maximum number of members and elements of a whole body. The largest request schema allows about 2,000. */
const maxJsonValues = 5_000;

/**
 * Parses a JSON body strictly (RFC 7493). Rejects input that JSON.parse accepts but that parsers interpret differently:
 * duplicate keys, integers that lose digits, integers such as `56.00`, numbers that overflow, `__proto__`, malformed
 * UTF-8 and lone surrogates. A fingerprint of such a body would not identify its content.
 *
 * Every step is linear in the length of the body. Depth and number of values are checked on the bytes, before any
 * step that is recursive or allocates per value.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  const { members, isPlain } = scan(bytes);
  if (!isUtf8(bytes))
    throw notJson("The body must be a JSON object in valid UTF-8. Check its encoding.");
  const text = bytes.toString("utf8");
  // Editors do not show a byte order mark, so a message without its name does not help to find it.
  if (text.startsWith("\ufeff"))
    throw notJson(
      "The body must not begin with a byte order mark (BOM). Send the JSON without it.",
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(`The body must be a JSON object. ${positionOf(error)}. Correct the syntax.`);
  }
  // Most bodies are plain and need no second scan. If a plain body has as many members as its parsed value, no key
  // occurs twice.
  if (!isPlain || countMembers(value) !== members || text.includes(protoKey)) {
    rejectAmbiguities(text);
  }
  return value;
}

function notJson(message: string): ApiError {
  return new ApiError("body_invalid_json", message);
}

/**
 * Returns a message with the position of a syntax error. The parser's own message is not used, because it quotes the
 * surrounding text, which can contain a card number. For the same reason, no error below repeats a value.
 */
function positionOf(error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  return position ? `The JSON is invalid at character ${position}` : "The JSON is invalid";
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const point = 0x2e;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The number of colons outside strings, and whether the bytes have no escapes and only integers below 10^15. */
type Scan = { readonly members: number; readonly isPlain: boolean };

const maxPlainDigits = 15;

/**
 * Limits the depth and the number of values by counting brackets and commas outside strings. It runs before the parser,
 * so it limits the parser's work even if the bytes are not JSON. The same pass finds whether a second scan is needed.
 */
function scan(bytes: Buffer): Scan {
  let depth = 0;
  let values = 0;
  let members = 0;
  let digits = 0;
  let isPlain = !bytes.includes(backslash);
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    switch (byte) {
      case quote:
        index = endOfString(bytes, index);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        values += 1;
        if (depth > maxJsonDepth)
          throw tooComplex(`must have at most ${maxJsonDepth} levels of nesting`);
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case comma:
        values += 1;
        digits = 0;
        break;
      case colon:
        members += 1;
        break;
      default:
        // A decimal point, or an `e` after a digit, which begins an exponent.
        if (byte === point || (digits > 0 && isExponent(byte))) isPlain = false;
        digits = isDigit(byte) ? digits + 1 : 0;
        if (digits > maxPlainDigits) isPlain = false;
    }
    if (values > maxJsonValues) {
      throw tooComplex(`must have at most ${maxJsonValues} members and elements`);
    }
  }
  return { members, isPlain };
}

/** Returns the number of members of all objects in a parsed value. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element);
    return count;
  }
  for (const key in value) count += 1 + countMembers((value as Record<string, unknown>)[key]);
  return count;
}

/** Returns the index of the closing quote, or an index past the last byte if the string is not closed. */
function endOfString(bytes: Buffer, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== quote) {
    index += bytes[index] === backslash ? 2 : 1;
  }
  return index;
}

function tooComplex(problem: string): ApiError {
  return new ApiError(
    "body_too_complex",
    `The body ${problem}. Compare the body with the reference.`,
  );
}

/** An object or array that the scan has entered but not yet left. */
type Frame = {
  /** The keys seen so far, or null for an array. */
  readonly keys: Set<string> | null;
  /** The key of the current member, or the index of the current element. */
  key: string;
  index: number;
};

/** Rejects the ambiguities that JSON.parse tolerates. The text must be a document that JSON.parse accepts. */
function rejectAmbiguities(text: string): void {
  const open: Frame[] = [];
  let frame: Frame | undefined;
  let expectsKey = false;
  let index = 0;
  while (index < text.length) {
    const character = text.charCodeAt(index);
    if (character === quote) {
      const end = endOfStringIn(text, index);
      const literal = text.slice(index + 1, end);
      const content = literal.includes("\\") ? (JSON.parse(`"${literal}"`) as string) : literal;
      if (frame?.keys && expectsKey) frame.key = content;
      if (content !== literal) rejectUnwritable(content, open);
      if (frame?.keys && expectsKey) rejectKey(frame.keys, content, open);
      expectsKey = false;
      index = end + 1;
      continue;
    }
    if (character === openBrace) {
      frame = { keys: new Set(), key: "", index: 0 };
      open.push(frame);
      expectsKey = true;
    } else if (character === openBracket) {
      frame = { keys: null, key: "", index: 0 };
      open.push(frame);
      expectsKey = false;
    } else if (character === closeBrace || character === closeBracket) {
      open.pop();
      frame = open.at(-1);
      expectsKey = false;
    } else if (character === comma && frame) {
      expectsKey = frame.keys !== null;
      frame.index += 1;
    } else if (isDigitOrMinus(character)) {
      index = endOfNumber(text, index, open);
      continue;
    }
    index += 1;
  }
}

function endOfStringIn(text: string, start: number): number {
  let index = start + 1;
  for (;;) {
    const character = text.charCodeAt(index);
    if (character === quote) return index;
    index += character === backslash ? 2 : 1;
  }
}

function rejectUnwritable(content: string, open: readonly Frame[]): void {
  if (!content.isWellFormed()) {
    throw at(
      open,
      "invalid_characters",
      "must not contain an unpaired surrogate (\\ud800 to \\udfff). Send complete characters.",
    );
  }
  if (content.includes("\0")) {
    throw at(
      open,
      "invalid_characters",
      "must not contain a NUL character (\\u0000). Remove the character.",
    );
  }
}

const protoKey = "__proto__";

function rejectKey(keys: Set<string>, key: string, open: readonly Frame[]): void {
  if (key === protoKey) {
    throw at(open, "body_invalid_json", "is a key that is not allowed. Remove the key.");
  }
  if (keys.has(key)) {
    throw at(open, "body_invalid_json", "occurs twice in the same object. Send each key once.");
  }
  keys.add(key);
}

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}

function isDigitOrMinus(character: number): boolean {
  return isDigit(character) || character === 0x2d;
}

function isExponent(character: number): boolean {
  return character === 0x65 || character === 0x45;
}

function endOfNumber(text: string, start: number, open: readonly Frame[]): number {
  let end = start + 1;
  let isPlain = true;
  for (; end < text.length && isNumberCharacter(text.charCodeAt(end)); end++) {
    isPlain &&= isDigitOrMinus(text.charCodeAt(end));
  }
  const value = Number(text.slice(start, end));
  if (!Number.isFinite(value)) {
    throw at(
      open,
      "body_invalid_json",
      "must be a number within the range of a double. Send a smaller number.",
    );
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw at(
      open,
      "body_invalid_json",
      "must be an integer below 2^53, because a larger integer would lose digits. Send a smaller integer.",
    );
  }
  // A client that writes 56.00 may mean $56.00, but JSON.parse returns 56, which would be an amount of $0.56. No
  // parameter accepts a fraction, so a number that is not an integer fails the check of its parameter, which has a
  // clearer message.
  if (!isPlain && Number.isInteger(value)) {
    throw at(
      open,
      "parameter_invalid_integer",
      "must be written without a decimal point or an exponent. Send an integer. Amounts are in the smallest unit of the currency: 5600 for $56.00.",
    );
  }
  return end;
}

/** Matches digits, sign, point and exponent. */
function isNumberCharacter(character: number): boolean {
  return (
    isDigitOrMinus(character) || character === point || character === 0x2b || isExponent(character)
  );
}

/**
 * Returns the error for the member or element that is being read. Names come from the body, so a card number among
 * them is masked.
 */
function at(open: readonly Frame[], code: ErrorCode, problem: string): ApiError {
  const path = open.reduce(
    (outer, { keys, key, index }) =>
      keys === null ? elementPath(outer, index) : memberPath(outer, key),
    "",
  );
  if (path === "") return new ApiError(code, `The body ${problem}`);
  const param = maskSecrets(path);
  return new ApiError(code, `\`${param}\` ${problem}`, { param });
}
