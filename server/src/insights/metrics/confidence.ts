/** A sample: its size and the number of successes in it. */
export type Sample = { readonly successes: number; readonly size: number };

/** The quantile of the normal distribution for 95% confidence. */
const z = 1.959964;

/**
 * Returns the Wilson score interval of a rate, or null for an empty sample. Unlike the simple interval, it is correct
 * for small samples and for rates near 0 and 1 (E. B. Wilson, 1927, "Probable inference, the law of succession, and
 * statistical inference").
 */
export function wilsonInterval({
  successes,
  size,
}: Sample): { readonly low: number; readonly high: number } | null {
  if (size === 0) return null;
  const rate = successes / size;
  const scale = 1 + (z * z) / size;
  const center = rate + (z * z) / (2 * size);
  const margin = z * Math.sqrt((rate * (1 - rate)) / size + (z * z) / (4 * size * size));
  return {
    low: Math.max(0, (center - margin) / scale),
    high: Math.min(1, (center + margin) / scale),
  };
}

/**
 * Returns the probability that two samples of the same rate differ at least as much as these two (two-sided
 * two-proportion z-test with a pooled rate). Returns 1 for an empty sample, and for two samples without variance.
 */
export function differenceByChance(one: Sample, other: Sample): number {
  if (one.size === 0 || other.size === 0) return 1;
  const pooled = (one.successes + other.successes) / (one.size + other.size);
  const variance = pooled * (1 - pooled) * (1 / one.size + 1 / other.size);
  if (variance === 0) return 1;
  const difference = one.successes / one.size - other.successes / other.size;
  return complementaryError(Math.abs(difference) / Math.sqrt(2 * variance));
}

/**
 * Returns the complementary error function of a number of at least 0, with an error of at most 1.5e-7 (Abramowitz and
 * Stegun, "Handbook of Mathematical Functions", formula 7.1.26).
 */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, polynomial * Math.exp(-x * x));
}
