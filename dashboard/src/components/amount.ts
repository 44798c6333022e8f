import { minorUnitDigits } from "@florin/contract/minor-units.ts";

/**
 * Formats an amount in the smallest unit of its currency. A currency code always follows the number, as in `$10.00
 * USD`. In some languages, an amount in a currency without a symbol would otherwise begin with the code, as in `KWD
 * 1.000`.
 */
export function formatMoney(amountMinor: number, currency: string, locale?: string): string {
  const parts = partsOf(formatOf(currency, locale), amountMinor / 10 ** digitsOf(currency));
  const symbol = parts.find(({ type }) => type === "currency")?.value;
  if (symbol !== currency.toUpperCase()) return parts.map(({ value }) => value).join("");
  const number = parts.filter(({ type }) => type !== "currency").map(({ value }) => value);
  return `${number.join("").replaceAll(/^(\u2212?)\s+|\s+$/g, "$1")}\u00a0${symbol}`;
}

/**
 * Returns the parts of a formatted number. The minus sign is always U+2212, which is as wide as a digit. The hyphen
 * that `Intl` uses in some languages is narrower. A zero has no sign.
 */
function partsOf(format: Intl.NumberFormat, value: number): Intl.NumberFormatPart[] {
  return format
    .formatToParts(value || 0)
    .map((part) =>
      part.type === "minusSign" ? { ...part, value: part.value.replace("-", "\u2212") } : part,
    );
}

export function digitsOf(currency: string): number {
  return minorUnitDigits(currency.toLowerCase());
}

/** Returns whether formatted amounts of this currency contain its code, as `KWD 1.000` does and `$10.00` does not. */
export function containsCode(currency: string): boolean {
  let contains = containing.get(currency);
  if (contains === undefined) {
    contains = formatMoney(0, currency).includes(currency.toUpperCase());
    containing.set(currency, contains);
  }
  return contains;
}

/** Cached, because every amount of a table needs it. */
const containing = new Map<string, boolean>();

const formats = new Map<string, Intl.NumberFormat>();

/** Returns a cached formatter. Creating one takes longer than formatting all amounts of a page. */
function cached(name: string, create: () => Intl.NumberFormat): Intl.NumberFormat {
  const format = formats.get(name) ?? create();
  formats.set(name, format);
  return format;
}

function formatOf(currency: string, locale?: string): Intl.NumberFormat {
  return cached(
    `${currency} ${locale}`,
    () =>
      new Intl.NumberFormat(locale, {
        style: "currency",
        currency: currency.toUpperCase(),
        // Browsers use CLDR, whose number of decimals differs from ISO 4217 for some currencies.
        minimumFractionDigits: digitsOf(currency),
        maximumFractionDigits: digitsOf(currency),
        // "symbol" and not "narrowSymbol", which formats both US dollars and Chilean pesos as "$".
        currencyDisplay: "symbol",
        // Latin digits, because the amount fields accept no others.
        numberingSystem: "latn",
      }),
  );
}

/** Formats an amount for the axis of a chart: `$1.2K`. */
export function formatCompactMoney(amountMinor: number, currency: string): string {
  const format = cached(
    `${currency} compact`,
    () =>
      new Intl.NumberFormat(undefined, {
        style: "currency",
        currency: currency.toUpperCase(),
        notation: "compact",
        maximumFractionDigits: 1,
        numberingSystem: "latn",
      }),
  );
  return partsOf(format, amountMinor / 10 ** digitsOf(currency))
    .map(({ value }) => value)
    .join("");
}

/** Formats an amount for an editable field: 1999 → `19.99`, with the decimal mark of the page's other amounts. */
export function moneyText(amountMinor: number, currency: string, locale?: string): string {
  const digits = digitsOf(currency);
  if (digits === 0) return String(amountMinor);
  const text = String(amountMinor).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}${marksOf(currency, locale).decimal}${text.slice(-digits)}`;
}

/** Returns the separators and the currency symbol that the page uses in amounts. */
export function marksOf(currency: string, locale?: string) {
  const parts = formatOf(currency, locale).formatToParts(1_234_567.891);
  const written = (type: Intl.NumberFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value;
  return {
    group: written("group") ?? null,
    decimal: written("decimal") ?? ".",
    symbol: written("currency") ?? "",
  };
}
