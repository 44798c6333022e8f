import { findCardNumber, mayHoldCardNumber } from "./card-number-in-text.ts";

/** Card data in a field that must not contain any. */
export type FoundCardData = {
  /** The parameter's path in the request: `metadata.note`, `line_items[0].name`. */
  readonly param: string;
  /** A description without the data: `a card number ending in 4242`. */
  readonly what: string;
};

/** Names under which three or four digits are a security code. */
const codeNames = "cvc|cvc2|cvv|cvv2|security_code";
const codeName = new RegExp(`^(?:${codeNames})$`, "i");

/** A security code under its own name, as JSON writes it. Postgres reads the same expression. */
export const securityCodePrefilter = `"(${codeNames})"\\s*:\\s*"?[0-9]{3,4}"?[,}\\s]`;
const securityCode = new RegExp(securityCodePrefilter, "i");

/**
 * Card data in JSON contains at least one of these: what a text with a card number contains, a name of the security
 * code, or the exponent of a number.
 */
const sieve = new RegExp(`${mayHoldCardNumber.source}|${codeNames}|[0-9]e[+0-9]`, "i");

/**
 * Returns false when `findCardData` finds nothing in the value of a JSON text. It takes one pass over the text, so most
 * requests skip the walk over their values, which cost 7 µs per charge.
 */
export function mayContainCardData(json: string): boolean {
  return sieve.test(json);
}

/** Walks a value and returns the first card number or security code in it, in names of members too. */
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
  // Shorter than any card number and than a security code with its name.
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
    if (found) return below(`[${index}]`, found);
  }
  return null;
}

function inMembers(members: Readonly<Record<string, unknown>>): FoundCardData | null {
  for (const name in members) {
    const member = members[name];
    if (codeName.test(name) && /^\s*[0-9]{3,4}\s*$/.test(String(member))) {
      return { param: name, what: "a security code" };
    }
    const found = inText(name) ?? findCardData(member);
    if (found) return below(name, found);
  }
  return null;
}

/** Builds the path on the way back, because nearly every value contains no card data. */
function below(name: string, { param, what }: FoundCardData): FoundCardData {
  const dot = param === "" || param.startsWith("[") ? "" : ".";
  return { param: `${name}${dot}${param}`, what };
}

/**
 * Returns the card data in a stored text, or null. JSON is parsed and checked value by value, like the request that it
 * came from. Any other text, truncated JSON included, is checked as it is.
 */
export function findStoredCardData(text: string): FoundCardData | null {
  const first = text[0];
  if (first === "{" || first === "[") {
    try {
      return findCardData(JSON.parse(text));
    } catch {
      // The text is not JSON.
    }
  }
  return findCardData(text);
}
