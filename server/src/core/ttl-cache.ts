/**
 * Caches the results of `read` for a short time. Concurrent callers share one read (single flight). Failures are not
 * cached.
 */
export function ttlCache<Key, Value>(
  ttlMs: number,
  read: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const cached = new Map<Key, { value: Promise<Value>; until: number }>();

  return (key) => {
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
}

const maxEntries = 10_000;
