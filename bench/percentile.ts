/**
 * Returns the percentile for `share`, which is between 0 and 1, by the nearest-rank method. Sorts the values in place.
 */
export function percentile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  values.sort();
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] as number;
}

/** Returns the item with the median value. For an even number of items, this is the lower of the two middle items. */
export function medianBy<Item>(items: readonly Item[], value: (item: Item) => number): Item {
  const sorted = items.toSorted((a, b) => value(a) - value(b));
  if (sorted.length === 0) throw new RangeError("The median of an empty list is undefined");
  return sorted[Math.ceil(sorted.length / 2) - 1] as Item;
}
