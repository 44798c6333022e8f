import { minorUnitDigits } from "@florin/contract/minor-units.ts";

/** Formats an amount in the smallest currency unit for people: 1999 usd is $19.99. */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat(knownLocale(locale), {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amountMinor / 10 ** digits);
}

/** Returns the locale, or a fallback if the browser cannot parse it, which would otherwise break the whole page. */
function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}
