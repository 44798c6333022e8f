/** TTL of data whose changes every process must see within one second. A slow read may take the remaining 250 ms. */
export const oneSecondCacheMs = 750;

/** A TTL cache in front of a read. */
export type TtlCache<Key, Value> = {
  (key: Key): Promise<Value>;
  /** Clears the cache after a change, so that the next call in this process reads again. */
  forget(): void;
};

/**
 * Caches the results of `read` for a short time. Concurrent callers share one read (single flight). Failures are not
 * cached.
 */
export function ttlCache<Key, Value>(
  memoryMs: number,
  read: (key: Key) => Promise<Value>,
): TtlCache<Key, Value> {
  const remembered = new Map<Key, { value: Promise<Value>; until: number }>();

  const readThrough = (key: Key): Promise<Value> => {
    const now = performance.now();
    const known = remembered.get(key);
    if (known && now < known.until) return known.value;
    // Clearing the whole cache bounds its memory without a timer, at the cost of one read per entry.
    if (remembered.size >= maxRemembered) remembered.clear();
    const value = read(key);
    remembered.set(key, { value, until: now + memoryMs });
    value.catch(() => remembered.delete(key));
    return value;
  };
  return Object.assign(readThrough, { forget: () => remembered.clear() });
}

const maxRemembered = 10_000;
