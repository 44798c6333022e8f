/** TTL of data whose changes every process must see within one second. A slow read may take the remaining 250 ms. */
export const oneSecondCacheMs = 750;

/** A TTL cache in front of a read. */
export type TtlCache<Key, Value> = {
  (key: Key): Promise<Value>;
  /** Clears the cache after a change, so that the next call in this process reads again. */
  clear(): void;
};

/**
 * Caches the results of `read` for a short time. Concurrent callers share one read (single flight). Failures are not
 * cached.
 */
export function ttlCache<Key, Value>(
  ttlMs: number,
  read: (key: Key) => Promise<Value>,
): TtlCache<Key, Value> {
  const cached = new Map<Key, { value: Promise<Value>; until: number }>();

  const readThrough = (key: Key): Promise<Value> => {
    const now = performance.now();
    const entry = cached.get(key);
    if (entry && now < entry.until) return entry.value;
    // Clearing the whole cache bounds its memory without a timer, at the cost of one read per entry.
    if (cached.size >= maxEntries) cached.clear();
    const value = read(key);
    cached.set(key, { value, until: now + ttlMs });
    value.catch(() => cached.delete(key));
    return value;
  };
  return Object.assign(readThrough, { clear: () => cached.clear() });
}

const maxEntries = 10_000;
