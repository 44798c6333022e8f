import type { Currency, Money } from "../core/money.ts";
import { minorUnit } from "./scaled-decimal.ts";

export type Rounding = {
  /** Returns the amount in minor units. The rounded amounts add up to the rounded sum. */
  readonly next: (amount: bigint, currency: Currency) => number;
  readonly totals: () => readonly Money[];
};

/**
 * Rounds the amounts of a report to minor units. The amounts can have more decimals than the currency. To keep the sum
 * exact, each line gets the rounded running total up to this line, minus the rounded running total before it.
 */
export function createRounding(): Rounding {
  const sums = new Map<Currency, { readonly exact: bigint; readonly rounded: number }>();
  return {
    next(amount, currency) {
      const before = sums.get(currency) ?? { exact: 0n, rounded: 0 };
      const exact = before.exact + amount;
      const rounded = toMinor(exact, currency);
      sums.set(currency, { exact, rounded });
      return rounded - before.rounded;
    },
    totals: () => [...sums].map(([currency, { rounded }]) => ({ amountMinor: rounded, currency })),
  };
}

/** Rounds half away from zero. */
export function toMinor(scaled: bigint, currency: Currency): number {
  const unit = minorUnit(currency);
  const half = scaled < 0n ? -unit / 2n : unit / 2n;
  return Number((scaled + half) / unit);
}
