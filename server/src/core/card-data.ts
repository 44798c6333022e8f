import { cardNumberCandidate, findCardNumber } from "./card-number-in-text.ts";

/** Card data in a field that must not contain any. */
export type FoundCardData = {
  /** The parameter's path in the request: `metadata.note`, `line_items[0].name`. */
  readonly param: string;
  /** A description without the data: `a card number ending in 4242`. */
  readonly what: string;
};

/** Names of JSON members. A value of three or four digits under such a name is a security code. */
export const codeNames = "cvc|cvc2|cvv|cvv2|security_code";
const codeName = new RegExp(`^(?:${codeNames})$`, "i");

/** Matches a security code and its member name in JSON. PostgreSQL evaluates the same expression. */
export const securityCodePrefilter = `"(${codeNames})"\\s*:\\s*"?[0-9]{3,4}"?[,}\\s]`;
const securityCode = new RegExp(securityCodePrefilter, "i");

/**
 * Matches every JSON text that contains card data. Such a text contains a candidate for a card number, a member name of
 * a security code, or a number with an exponent, which may have the digits of a card number after parsing.
 */
const prefilter = new RegExp(`${cardNumberCandidate.source}|${codeNames}|[0-9]e[+0-9]`, "i");

/**
 * Reports whether a JSON text may contain card data. If the result is false, `findCardData` finds nothing in the parsed
 * value. This check takes one pass over the text. Most requests then skip `findCardData`, which takes 7 µs per charge.
 */
export function mayContainCardData(json: string): boolean {
  return prefilter.test(json);
}

/** Returns the first card number or security code in a parsed JSON value. Member names are searched too. */
export function findCardData(value: unknown): FoundCardData | null {
  switch (typeof value) {
    case "string":
      return inText(value);
    case "number":
      return inText(String(value));
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? inItems(value) : inMembers(value as Record<string, unknown>);
    default:
      return null;
  }
}

function inText(text: string): FoundCardData | null {
  // Card numbers, and security codes with their member names, have at least ten characters.
  if (text.length < 10) return null;
  const number = findCardNumber(text);
  if (number) return { param: "", what: `a card number ending in ${number.digits.slice(-4)}` };
  return text.includes('"') && securityCode.test(text)
    ? { param: "", what: "a security code" }
    : null;
}

function inItems(items: readonly unknown[]): FoundCardData | null {
  for (let index = 0; index < items.length; index++) {
    const found = findCardData(items[index]);
    if (found) return prefixParam(`[${index}]`, found);
  }
  return null;
}

function inMembers(members: Readonly<Record<string, unknown>>): FoundCardData | null {
  for (const name in members) {
    const member = members[name];
    if (codeName.test(name) && isSecurityCode(member)) {
      return { param: name, what: "a security code" };
    }
    const found = inText(name) ?? findCardData(member);
    if (found) return prefixParam(name, found);
  }
  return null;
}

/** Reports whether a string, a number or an item of a list has the digits of a security code. */
function isSecurityCode(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isSecurityCode);
  // `String` throws on an object whose member `toString` is not a function.
  if (typeof value !== "string" && typeof value !== "number") return false;
  return /^\s*[0-9]{3,4}\s*$/.test(String(value));
}

/**
 * Prepends a member name or an index to the path of the found parameter. The path is built only after a match, because
 * nearly every value contains no card data.
 */
function prefixParam(name: string, { param, what }: FoundCardData): FoundCardData {
  const dot = param === "" || param.startsWith("[") ? "" : ".";
  return { param: `${name}${dot}${param}`, what };
}

/**
 * Returns the first card data in a stored string, or null. A JSON object or array is parsed, and each of its values is
 * checked as in a request. Any other string, including truncated JSON, is checked as a whole.
 */
export function findStoredCardData(text: string): FoundCardData | null {
  const first = text[0];
  if (first === "{" || first === "[") {
    try {
      return findCardData(JSON.parse(text));
    } catch {
      // The string is not JSON.
    }
  }
  return findCardData(text);
}
