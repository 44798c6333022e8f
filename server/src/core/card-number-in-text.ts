import { passesLuhn } from "@florin/contract/luhn.ts";
import { liesInIban } from "./iban.ts";

/**
 * Decides whether a string contains a card number. The request check, the mask of logs and errors, and `florin verify
 * --cards` all call this module, so that `florin verify --cards` reports no string that the request check has accepted
 * (docs/operating/card-data.md).
 *
 * A card number is a run of digits that has a valid check digit and whose first digits and length belong to an issued
 * range. The digits may be written without separators, in the groups that are printed on cards (`printed`), or in other
 * groups that people type (`typed`). Spaces, dashes, dots, slashes, underscores or plus signs separate the groups.
 * Decimal digits of any script, invisible characters, and JSON (`\u0034`) or percent (`%34`) escapes are recognized.
 */
export type FoundCardNumber = {
  readonly digits: string;
  /** Offsets in the text, end exclusive. */
  readonly start: number;
  readonly end: number;
};

/** The shortest and the longest number of the ranges below. */
const minDigits = 14;
const maxDigits = 19;

/**
 * Issued ranges by their first four digits, and their lengths. Sources: ISO/IEC 7812-1; the ranges of the npm package
 * credit-card-type, which the card form uses; Wikipedia, "Payment card number", for networks outside that package.
 *
 * - 13-digit Visa numbers are left out. They are no longer issued, the card form does not accept them, and every EAN-13
 *   and every timestamp in milliseconds has 13 digits.
 * - Maestro numbers of 12 to 15 digits are left out. Mastercard ended new Maestro cards on 1 July 2023, and phone
 *   numbers of several countries begin with the same digits.
 * - UnionPay numbers need a valid check digit, as in the card form, although some old numbers were issued without one.
 */
const issuedRanges: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [3000, 3059, [14, 16, 19]], // Diners Club
  [3095, 3095, [14, 16, 19]], // Diners Club
  [3400, 3499, [15]], // American Express
  [3528, 3589, [16, 17, 18, 19]], // JCB, RuPay
  [3600, 3699, [14, 16, 19]], // Diners Club
  [3700, 3799, [15]], // American Express
  [3800, 3999, [14, 16, 19]], // Diners Club
  [4000, 4999, [16, 18, 19]], // Visa, Visa Electron, Cartes Bancaires, Dankort, Elo
  [2200, 2204, [16, 17, 18, 19]], // Mir
  [2205, 2205, [16]], // Borica
  [2221, 2720, [16]], // Mastercard
  [5000, 5099, [16, 17, 18, 19]], // Maestro, Cartes Bancaires, Dankort, Elo, RuPay, Verve
  [5100, 5599, [16]], // Mastercard
  [5600, 5999, [16, 17, 18, 19]], // Maestro
  [6000, 6999, [16, 17, 18, 19]], // Discover, UnionPay, Maestro, RuPay, Elo, Hipercard, InstaPayment, Troy, Verve
  [8100, 8171, [16, 17, 18, 19]], // UnionPay
  [8172, 8199, [16]], // RuPay
  [8200, 8299, [16]], // RuPay
  [8600, 8600, [16]], // Uzcard
  [9112, 9112, [16]], // Belkart
  [9792, 9792, [16]], // Troy
  [9860, 9860, [16]], // Humo
];

/** The allowed lengths of card numbers, as bit sets. The index is the first four digits. */
const lengthBits = new Uint32Array(10_000);
for (const [from, to, lengths] of issuedRanges) {
  for (let prefix = from; prefix <= to; prefix++) {
    for (const length of lengths) lengthBits[prefix] = (lengthBits[prefix] ?? 0) | (1 << length);
  }
}

/** Returns whether the digits have an issued prefix and length, and a valid check digit. */
export function isCardNumber(digits: string): boolean {
  const { length } = digits;
  if (length < minDigits || length > maxDigits) return false;
  const bits = lengthBits[Number(digits.slice(0, 4))] ?? 0;
  return (bits & (1 << length)) !== 0 && passesLuhn(digits);
}

/** Returns the first card number in a string, or null. Takes linear time. */
export function findCardNumber(text: string): FoundCardNumber | null {
  return findCardNumbers(text, true)[0] ?? null;
}

const mask = "••••";

/** Returns the text with every card number replaced by dots. `findCardNumber` finds nothing in the result. */
export function maskCardNumbers(text: string): string {
  let masked = text;
  // A card number can be part of a longer run of digits. After the card number is masked, the digits before and after
  // it are searched again as separate runs.
  for (let found = findCardNumbers(masked); found.length > 0; found = findCardNumbers(masked)) {
    const parts: string[] = [];
    let begin = masked.length;
    for (const { start, end } of found.toReversed()) {
      if (end > begin) continue;
      parts.push(masked.slice(end, begin), mask);
      begin = start;
    }
    parts.push(masked.slice(0, begin));
    masked = parts.reverse().join("");
  }
  return masked;
}

function findCardNumbers(text: string, firstOnly = false): FoundCardNumber[] {
  if (text.length < minDigits || !cardNumberCandidate.test(text)) return [];
  const found = inChains(text, readGroups(text, false), firstOnly);
  if ((firstOnly && found.length > 0) || !/[\\%]/.test(text)) return found;
  // A backslash or a percent sign can begin an escape or be a plain character, so both readings are searched.
  const decoded = inChains(text, readGroups(text, true), firstOnly);
  return [...found, ...decoded].sort((one, other) => one.start - other.start);
}

/**
 * Matches every string that may contain a card number. Such a string contains at least one of three things: fourteen
 * ASCII digits with few separators between them, a non-ASCII character (it may be a digit or invisible), or a character
 * that can begin an escape. Nearly every string that a server reads contains none of them. The check takes a few
 * nanoseconds per character.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside ASCII
export const cardNumberCandidate = /[0-9](?:[^0-9A-Za-z]{0,6}[0-9]){13}|[^\x00-\x7f]|[\\%]/;

/**
 * The code point ranges of the non-ASCII decimal digits (Unicode, category Nd). Each script's digits are ten
 * consecutive code points, from zero to nine. Adjacent digit sets form one range.
 */
const digitRanges = decimalDigitRanges();

/**
 * `cardNumberCandidate` as PostgreSQL regular expressions. A string in which `findCardNumber` finds a number matches
 * `digits`, or both expressions of `escapes`. The callers check the matching rows with `findCardNumber`.
 */
export const cardNumberPrefilter = {
  digits: `[0-9](?:[^0-9A-Za-z]{0,6}[0-9]){13}|[${digitRanges.map(asPostgresRange).join("")}]`,
  escapes: ["\\\\[nrtfu/]|%[0-9A-Fa-f]{2}", "(?:[0-9][^0-9]*){14}"],
} as const;

function asPostgresRange([from, to]: readonly [number, number]): string {
  const escaped = (codePoint: number) => `\\U${codePoint.toString(16).padStart(8, "0")}`;
  return `${escaped(from)}-${escaped(to)}`;
}

/** A run of digits without separators. */
type Group = {
  /** Truncated to one digit more than the longest card number. */
  digits: string;
  readonly start: number;
  end: number;
  /** True when only a few separators lie between this group and the previous one. */
  readonly joined: boolean;
  beforeLetter: boolean;
  /** True when only letters lie between this group and another, as in identifiers and hashes. */
  mixed: boolean;
};

type Kind = "digit" | "letter" | "separator" | "ignored" | "other";
type Piece = { kind: Kind; digit: number; length: number };

/** The maximum number of consecutive separators within a card number. */
const maxGap = 6;

function readGroups(text: string, decode: boolean): Group[] {
  const groups: Group[] = [];
  const piece: Piece = { kind: "other", digit: 0, length: 1 };
  let current: Group | null = null;
  let gap = 0;
  let inWord = false;
  let isBroken = true;
  for (let index = 0; index < text.length; index += piece.length) {
    readPiece(text, index, decode, piece);
    const last = groups.at(-1);
    switch (piece.kind) {
      case "digit":
        if (current && gap <= maxGap) {
          if (current.digits.length <= maxDigits) current.digits += String(piece.digit);
          current.end = index + piece.length;
        } else {
          const isWord = inWord && last !== undefined && !isBroken && last.beforeLetter;
          if (isWord) last.mixed = true;
          current = {
            digits: String(piece.digit),
            start: index,
            end: index + piece.length,
            joined: !isBroken && !inWord && gap <= maxGap,
            beforeLetter: false,
            mixed: isWord,
          };
          groups.push(current);
        }
        gap = 0;
        inWord = false;
        isBroken = false;
        break;
      case "letter":
        if (current) current.beforeLetter = true;
        // A letter after a separator begins another word.
        else if (!inWord) isBroken = true;
        current = null;
        inWord = true;
        break;
      case "separator":
        if (inWord) isBroken = true;
        current = null;
        inWord = false;
        gap++;
        break;
      case "ignored":
        gap++;
        break;
      default:
        current = null;
        inWord = false;
        isBroken = true;
    }
  }
  return groups;
}

/** Finds the card numbers that consist of whole adjacent groups. */
function inChains(text: string, groups: readonly Group[], firstOnly: boolean): FoundCardNumber[] {
  const found: FoundCardNumber[] = [];
  for (let first = 0; first < groups.length; first++) {
    const end = Math.min(groups.length, first + maxGroupsFrom(groups[first] as Group));
    let digits = "";
    for (let last = first; last < end; last++) {
      const group = groups[last] as Group;
      if (group.mixed || (last > first && !group.joined)) break;
      digits += group.digits;
      if (digits.length > maxDigits) break;
      if (digits.length < minDigits || !isCardNumber(digits)) continue;
      const { start } = groups[first] as Group;
      if (!isGrouping(groups, first, last)) continue;
      if (liesInIban(text, start, group.end) || liesInUuid(text, start, group.end)) continue;
      found.push({ digits, start, end: group.end });
      if (firstOnly) return found;
      first = last;
      break;
    }
  }
  return found;
}

/** The digit groupings that are printed on cards. They match anywhere in a longer run of groups. */
const printed = /^(?:4-4-4-4(?:-[1-4])?|4-4-4-[23]|4-6-[45])$/;
const maxPrintedGroups = 5;
/**
 * Other digit groupings match only a whole run of groups, because part of a list or of a long number can look like such
 * a grouping.
 */
const typed =
  /^(?:(?:(?:4|8|12)-)+(?:[1-4]|8|12)|6-10|6-13|(?:1-)+1|2(?:-2)+(?:-1)?|3(?:-3)+(?:-[12])?|5(?:-5)+(?:-[1-4])?)$/;

/**
 * Returns the maximum number of groups in a card number that begins with this group. Without this limit, the search of
 * a long run of short groups would take quadratic time.
 */
function maxGroupsFrom({ joined, digits }: Group): number {
  if (!joined) return maxDigits;
  return digits.length === 4 || digits.length === 6 ? maxPrintedGroups : 1;
}

function isGrouping(groups: readonly Group[], first: number, last: number): boolean {
  if (first === last) return true;
  const sizes = groups
    .slice(first, last + 1)
    .map(({ digits }) => digits.length)
    .join("-");
  if (printed.test(sizes)) return true;
  const isWhole = !groups[first]?.joined && !groups[last + 1]?.joined;
  return isWhole && typed.test(sizes);
}

const uuidLength = 36;
const uuid =
  /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])/gi;

/**
 * Reports whether the characters from `start` to `end` lie inside a UUID (RFC 9562). One in 33,000 random UUIDs begins
 * with sixteen digits in groups of 8, 4 and 4 that are a card number.
 */
function liesInUuid(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - uuidLength);
  const found = [...text.slice(from, end + uuidLength).matchAll(uuid)];
  return found.some(({ index }) => from + index <= start && from + index + uuidLength >= end);
}

function readPiece(text: string, index: number, decode: boolean, piece: Piece): void {
  const code = text.charCodeAt(index);
  piece.length = 1;
  if (code > 0x7f) readCharacter(text.codePointAt(index) as number, piece);
  else if (decode && code === 0x5c) readBackslash(text, index, piece);
  else if (decode && code === 0x25) readPercent(text, index, piece);
  else readCharacter(code, piece);
}

const invisible = /[\p{Cf}\p{M}]/u;
const separating =
  /[-./_+\\\t\n\v\f\r\p{Z}\p{Pd}\u00b7\u2044\u2212\u2215\u2219\u30fb\u3002\uff0e\uff0f\uff0b\uff3f]/u;

/** Cached kinds of code points, as indexes into `kinds`. 0 means not cached. */
const knownKinds = new Uint8Array(0x20_000);
const kinds: readonly (Kind | null)[] = [null, "digit", "letter", "separator", "ignored", "other"];

function readCharacter(codePoint: number, piece: Piece): void {
  piece.length = codePoint > 0xffff ? 2 : 1;
  const known = kinds[knownKinds[codePoint] ?? 0];
  piece.kind = known ?? kindOf(codePoint);
  if (!known && codePoint < knownKinds.length) knownKinds[codePoint] = kinds.indexOf(piece.kind);
  if (piece.kind === "digit") {
    piece.digit = codePoint <= 0x39 ? codePoint - 0x30 : (digitOf(codePoint) as number);
  }
}

function kindOf(codePoint: number): Kind {
  const character = String.fromCodePoint(codePoint);
  if (digitOf(codePoint) !== null) return "digit";
  if (invisible.test(character)) return "ignored";
  if (separating.test(character)) return "separator";
  return /\p{L}/u.test(character) ? "letter" : "other";
}

/** Reads a JSON escape. A backslash before anything else is a separator. */
function readBackslash(text: string, index: number, piece: Piece): void {
  const next = text[index + 1] ?? "";
  piece.kind = "separator";
  if (next === "u") {
    const high = hexadecimal(text, index + 2, 4);
    if (high === null) return;
    const isPair = (high & 0xfc00) === 0xd800 && text.startsWith("\\u", index + 6);
    const low = isPair ? hexadecimal(text, index + 8, 4) : null;
    const hasLow = low !== null && (low & 0xfc00) === 0xdc00;
    readCharacter(hasLow ? (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000 : high, piece);
    piece.length = hasLow ? 12 : 6;
  } else if (next !== "" && "nrtf/\\".includes(next)) {
    piece.length = 2;
  } else if (next === '"' || next === "b") {
    piece.kind = "other";
    piece.length = 2;
  }
}

/** Reads a percent escape of a digit, a separator or an invisible character. Other escapes are read as plain text. */
function readPercent(text: string, index: number, piece: Piece): void {
  piece.kind = "other";
  piece.length = 1;
  const lead = escapedByte(text, index);
  if (lead === null) return;
  const bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const codePoint = bytes === 1 ? lead : readUtf8(text, index, lead, bytes);
  if (codePoint === null) return;
  readCharacter(codePoint, piece);
  const kind = piece.kind as Kind;
  const isRead = kind !== "letter" && kind !== "other";
  if (!isRead) piece.kind = "other";
  piece.length = isRead ? bytes * 3 : 1;
}

/**
 * Returns the code point of a percent-encoded character whose first byte is `lead` (RFC 3629). Returns null for invalid
 * or overlong UTF-8 and for surrogates.
 */
function readUtf8(text: string, index: number, lead: number, bytes: number): number | null {
  if (lead < 0xc2 || lead > 0xf4) return null;
  let codePoint = lead & (0x7f >> bytes);
  for (let nth = 1; nth < bytes; nth++) {
    const byte = escapedByte(text, index + nth * 3);
    if (byte === null || (byte & 0xc0) !== 0x80) return null;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  const min = [0, 0, 0x80, 0x800, 0x1_0000][bytes] as number;
  return codePoint < min || codePoint > 0x10ffff || isSurrogate ? null : codePoint;
}

function escapedByte(text: string, index: number): number | null {
  return text.charCodeAt(index) === 0x25 ? hexadecimal(text, index + 1, 2) : null;
}

function hexadecimal(text: string, index: number, length: number): number | null {
  let value = 0;
  for (let at = index; at < index + length; at++) {
    const code = text.charCodeAt(at) | 0x20;
    const isDigit = code >= 0x30 && code <= 0x39 && text.charCodeAt(at) === code;
    if (!isDigit && (code < 0x61 || code > 0x66)) return null;
    value = value * 16 + (isDigit ? code - 0x30 : code - 0x57);
  }
  return value;
}

function digitOf(codePoint: number): number | null {
  if (codePoint < 0x660) return codePoint >= 0x30 && codePoint <= 0x39 ? codePoint - 0x30 : null;
  for (const [from, to] of digitRanges) {
    if (codePoint < from) return null;
    if (codePoint <= to) return (codePoint - from) % 10;
  }
  return null;
}

function decimalDigitRanges(): (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  // Every run of decimal digits in Unicode begins at a code point whose last hex digit is 0, 6 or e.
  for (let codePoint = 0x660; codePoint < 0x20_000; codePoint += 2) {
    if (![0x0, 0x6, 0xe].includes(codePoint & 0xf)) continue;
    const last = ranges.at(-1);
    if (last && codePoint <= last[1]) continue;
    let end = codePoint;
    while (/\p{Nd}/u.test(String.fromCodePoint(end))) end++;
    if (end > codePoint) ranges.push([codePoint, end - 1]);
  }
  return ranges;
}
