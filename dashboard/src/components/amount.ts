/** Amounts are in the smallest unit of their currency; how many digits that unit is away, the browser knows. */
export function formatMoney(amountMinor: number, currency: string): string {
  return formatOf(currency).format(amountMinor / 10 ** digitsOf(currency));
}

export function digitsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Each is made once: that takes longer than all the amounts of a page. */
function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const format = new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: currency.toUpperCase(),
    currencyDisplay: "narrowSymbol",
  });
  formats.set(currency, format);
  return format;
}

/** `19.99` → 1999; null for what is no amount of this currency. Whole numbers only: no binary fraction ever meets money. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = digitsOf(currency);
  const match = /^\s*(\d{1,12})(?:[.,](\d*))?\s*$/.exec(text.replaceAll(/[\s'’]/g, ""));
  if (!match) return null;
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > digits) return null;
  return Number(whole + fraction.padEnd(digits, "0"));
}

/** 1999 → `19.99`, for a field that is to be changed. */
export function moneyText(amountMinor: number, currency: string): string {
  const digits = digitsOf(currency);
  if (digits === 0) return String(amountMinor);
  const text = String(amountMinor).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
