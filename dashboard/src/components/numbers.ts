/** Formatters that are created on first use, because creating an `Intl` formatter takes milliseconds on a phone. */
let counts: Intl.NumberFormat | undefined;
let percentages: Intl.NumberFormat | undefined;
let wholePercentages: Intl.NumberFormat | undefined;

/** Formats a whole number: `1,234`. */
export function formatCount(value: number): string {
  counts ??= new Intl.NumberFormat();
  return counts.format(value);
}

/** Formats a ratio with one decimal, so that the digits of a column align: 0.9314 → `93.1%`, 0.5 → `50.0%`. */
export function formatPercent(ratio: number): string {
  percentages ??= new Intl.NumberFormat(undefined, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return percentages.format(ratio);
}

/** Formats a ratio without decimals, for the axis of a chart: 0.5 → `50%`. */
export function formatWholePercent(ratio: number): string {
  wholePercentages ??= new Intl.NumberFormat(undefined, { style: "percent" });
  return wholePercentages.format(ratio);
}
