import { minorUnitDigits } from "@florin/contract/minor-units.ts";

/** Formats an amount in minor units: 1999 in usd → $19.99. */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat(knownLocale(locale), {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amountMinor / 10 ** digits);
}

/**
 * Returns the locale, or a fallback if the browser cannot parse it. An invalid locale would otherwise throw and break
 * the page.
 */
function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}
