import { digitsOf, formatMoney, marksOf, moneyText } from "./amount.ts";

/**
 * The result of parsing a typed amount: one value, invalid, or ambiguous because countries use different separators.
 */
export type ParsedAmount =
  | { readonly kind: "amount"; readonly amount: number }
  | { readonly kind: "none" }
  | { readonly kind: "unclear"; readonly readings: readonly number[] };

/** Parses `19.99` to 1999. Returns null if the text is ambiguous or not an amount of this currency. */
export function parseMoney(text: string, currency: string, locale?: string): number | null {
  const read = parseAmount(text, currency, locale);
  return read.kind === "amount" ? read.amount : null;
}

/** Parses a typed amount. Uses integers only, because floating-point arithmetic is inexact. */
export function parseAmount(text: string, currency: string, locale?: string): ParsedAmount {
  const written = normalize(text, currency, locale);
  const digits = digitsOf(currency);
  const single = /^([1-9]\d{0,2})([.,])(\d{3})$/.exec(written);
  if (single) {
    const [, before = "", mark, behind = ""] = single;
    const whole = toMinor(before + behind, "", digits);
    const fraction = toMinor(before, behind, digits);
    const { group, decimal } = marksOf(currency, locale);
    if (mark === decimal && digits === 3) return amountOr(fraction);
    if (mark === group && digits !== 3) return amountOr(whole);
    return { kind: "unclear", readings: [fraction, whole].filter((one) => one !== null) };
  }
  for (const [group, decimal] of separatorPairs) {
    const inGroups = `[1-9]\\d{0,2}(?:${group}\\d{2,3})*${group}\\d{3}`;
    const match = new RegExp(`^(\\d+|${inGroups})(?:${decimal}(\\d*))?$`).exec(written);
    if (!match) continue;
    const [, whole = "", fraction = ""] = match;
    return amountOr(toMinor(whole.replaceAll(/\D/g, ""), fraction, digits));
  }
  return { kind: "none" };
}

/** Returns an error message with an example of a valid amount, or null. */
export function faultOfAmount(text: string, currency: string, locale?: string): string | null {
  const read = parseAmount(text, currency, locale);
  const name = currency.toUpperCase();
  switch (read.kind) {
    case "amount":
      return read.amount > 0 ? null : "Enter an amount greater than zero.";
    case "none": {
      const digits = digitsOf(currency);
      const such = moneyText(digits === 0 ? 1_250 : 125 * 10 ** (digits - 1), currency, locale);
      return `Enter an amount in ${name}, such as ${such}.`;
    }
    case "unclear": {
      const meant = read.readings.map((amount) => formatMoney(amount, currency, locale));
      const plain = read.readings.map((amount) => moneyText(amount, currency, locale));
      return read.readings.length > 1
        ? `“${text.trim()}” can mean ${meant.join(" or ")}. Enter ${plain.join(" or ")}.`
        : `“${text.trim()}” can mean ${meant[0]}, or an amount with more decimals than ${name} allows. Enter ${plain[0]}.`;
    }
  }
}

/** The accepted pairs of group separator and decimal mark. */
const separatorPairs = [
  [",", "\\."],
  ["\\.", ","],
  [" ", "[.,]"],
] as const;

/** Removes the currency's code or symbol, and replaces spaces and apostrophes between digits by one kind of space. */
function normalize(text: string, currency: string, locale?: string): string {
  const { symbol } = marksOf(currency, locale);
  let bare = text.replaceAll(/\p{Cf}/gu, "").trim();
  for (const name of [currency, symbol.replaceAll(/\p{Cf}/gu, "").trim()]) {
    if (name === "") continue;
    const lower = bare.toLowerCase();
    if (lower.startsWith(name.toLowerCase())) bare = bare.slice(name.length).trim();
    else if (lower.endsWith(name.toLowerCase())) bare = bare.slice(0, -name.length).trim();
  }
  return bare.replaceAll(/[\s'’]/g, " ");
}

/**
 * Converts the whole part `12` and the fraction `5` to 1250. Ignores surplus zeros. Returns null for any other surplus
 * decimals, and for an amount that a number cannot represent exactly.
 */
function toMinor(whole: string, fraction: string, digits: number): number | null {
  if (/[^0]/.test(fraction.slice(digits))) return null;
  const minor = Number(whole + fraction.slice(0, digits).padEnd(digits, "0"));
  return Number.isSafeInteger(minor) ? minor : null;
}

function amountOr(amount: number | null): ParsedAmount {
  return amount === null ? { kind: "none" } : { kind: "amount", amount };
}
