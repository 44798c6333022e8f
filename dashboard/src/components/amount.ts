import { minorUnitDigits } from "@florin/contract/minor-units.ts";

/** Formats an amount, which is in the smallest unit of its currency. */
export function formatMoney(amountMinor: number, currency: string, locale?: string): string {
  return formatOf(currency, locale).format(amountMinor / 10 ** digitsOf(currency));
}

export function digitsOf(currency: string): number {
  return minorUnitDigits(currency.toLowerCase());
}

/** Whether an amount of this currency already bears its code, as `KWD 1.000` does and `$10.00` does not. */
export function bearsCode(currency: string): boolean {
  return formatMoney(0, currency).includes(currency.toUpperCase());
}

const formats = new Map<string, Intl.NumberFormat>();

/** Each is made once: that takes longer than all the amounts of a page. */
function formatOf(currency: string, locale?: string): Intl.NumberFormat {
  const name = `${currency} ${locale}`;
  const known = formats.get(name);
  if (known) return known;
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: currency.toUpperCase(),
    // Browsers follow CLDR, whose digits differ from ISO 4217 for some currencies.
    minimumFractionDigits: digitsOf(currency),
    maximumFractionDigits: digitsOf(currency),
    // Not the narrow one: "$" would be US dollars and Chilean pesos on one page.
    currencyDisplay: "symbol",
    // Those that the fields take.
    numberingSystem: "latn",
  });
  formats.set(name, format);
  return format;
}

/** 1999 → `19.99`, for a field that is to be changed, with the decimal mark of all other amounts of the page. */
export function moneyText(amountMinor: number, currency: string, locale?: string): string {
  const digits = digitsOf(currency);
  if (digits === 0) return String(amountMinor);
  const text = String(amountMinor).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}${marksOf(currency, locale).decimal}${text.slice(-digits)}`;
}

/** What the page itself writes between digits, and beside them. */
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
