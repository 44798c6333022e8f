/**
 * The decimal digits of currencies that do not have two (ISO 4217, list one). `Intl.NumberFormat` cannot replace this
 * table: CLDR has the digits of everyday use, which differ from ISO 4217 for more than ten currencies. The card form,
 * the dashboard and the server share the table, so that no amount is displayed with the wrong factor.
 */
const unusualDigits: Readonly<Record<string, 0 | 3>> = {
  bhd: 3,
  bif: 0,
  clp: 0,
  djf: 0,
  gnf: 0,
  iqd: 3,
  isk: 0,
  jod: 3,
  jpy: 0,
  kmf: 0,
  krw: 0,
  kwd: 3,
  lyd: 3,
  omr: 3,
  pyg: 0,
  rwf: 0,
  tnd: 3,
  ugx: 0,
  vnd: 0,
  vuv: 0,
  xaf: 0,
  xof: 0,
  xpf: 0,
};

/** Returns the number of decimal digits of a currency, whose code is in lower case. */
export function minorUnitDigits(currency: string): 0 | 2 | 3 {
  return unusualDigits[currency] ?? 2;
}

/** Returns an amount as a decimal number: 199999 of `kwd` is `199.999`, and -500 of `usd` is `-5.00`. */
export function decimalText(amountMinor: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  if (digits === 0) return String(amountMinor);
  const text = String(Math.abs(amountMinor)).padStart(digits + 1, "0");
  return `${amountMinor < 0 ? "-" : ""}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
