/**
 * Digits after the decimal point, where they are not two (ISO 4217). The browser's own table follows CLDR, which counts
 * some currencies otherwise than the service does, and an amount must never be shown ten times too large.
 */
const unusualDigits: Readonly<Record<string, number>> = {
  bhd: 3,
  clp: 0,
  isk: 0,
  jod: 3,
  jpy: 0,
  krw: 0,
  kwd: 3,
  omr: 3,
  tnd: 3,
  ugx: 0,
  vnd: 0,
  xaf: 0,
  xof: 0,
};

export function amountDigits(currency: string): number {
  return unusualDigits[currency] ?? 2;
}

/** An amount in the smallest unit (spec §1) as people write it: 1999 usd is $19.99. */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const digits = amountDigits(currency);
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
