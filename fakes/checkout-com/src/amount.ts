/** Currencies without decimals (checkout.com/docs/payments/accept-payments/format-the-amount-value). */
const fullValue: ReadonlySet<string> = new Set([
  "BIF",
  "DJF",
  "GNF",
  "ISK",
  "JPY",
  "KMF",
  "KRW",
  "PYG",
  "RWF",
  "UGX",
  "VUV",
  "VND",
  "XAF",
  "XOF",
  "XPF",
]);

/** Currencies with three decimals, of which the last must be 0 (same page). */
const dividedBy1000: ReadonlySet<string> = new Set([
  "BHD",
  "IQD",
  "JOD",
  "KWD",
  "LYD",
  "OMR",
  "TND",
]);

export function decimalsOf(currency: string): number {
  if (fullValue.has(currency)) return 0;
  return dividedBy1000.has(currency) ? 3 : 2;
}

/** An amount has at most nine digits. The last two digits of an amount in CLP are 00 (same page). */
export function isValidAmount(amount: number, currency: string): boolean {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > 999_999_999) return false;
  if (dividedBy1000.has(currency)) return amount % 10 === 0;
  return currency !== "CLP" || amount % 100 === 0;
}

/** Returns an amount in minor units as a decimal number in the major unit, such as `-10.50`. */
export function decimalText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : `.${digits.slice(-decimals)}`;
  return `${amount < 0 ? "-" : ""}${whole}${fraction}`;
}
