import { minorUnitDigits } from "@florin/contract/minor-units.ts";

/** An amount in the smallest unit (spec §1) as people write it: 1999 usd is $19.99. */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat(knownLocale(locale), {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amountMinor / 10 ** digits);
}

/** A locale that the browser cannot parse must not cost the customer the whole page. */
function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}
