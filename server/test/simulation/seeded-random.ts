/** A random generator that returns the same numbers for the same seed (mulberry32, by Tommy Ettinger). */
export type Random = {
  /** Returns a number of at least 0 and less than 1. */
  next(): number;
  /** Returns true with this probability. */
  happens(probability: number): boolean;
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (probability) => next() < probability,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] as never,
  };
}
