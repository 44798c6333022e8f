/** Formatters that are created on first use, because creating an `Intl` formatter takes milliseconds on a phone. */
let counts: Intl.NumberFormat | undefined;
let percentages: Intl.NumberFormat | undefined;

/** Formats a whole number: `1,234`. */
export function formatCount(value: number): string {
  counts ??= new Intl.NumberFormat();
  return counts.format(value);
}

/** Formats a ratio with at most one decimal: 0.9314 → `93.1%`. */
export function formatPercent(ratio: number): string {
  percentages ??= new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
  return percentages.format(ratio);
}
