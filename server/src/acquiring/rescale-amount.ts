/**
 * Converts an amount from `from` decimals to `to` decimals. Returns null if digits would be lost, or if the result is
 * not exact.
 */
export function rescaleAmount(amount: number, from: number, to: number): number | null {
  const result = to >= from ? amount * 10 ** (to - from) : amount / 10 ** (from - to);
  return Number.isSafeInteger(result) ? result : null;
}
