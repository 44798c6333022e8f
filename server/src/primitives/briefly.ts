/** For what must be known everywhere within a second, of which a slow reading may take the rest. */
export const withinASecondMs = 750;

/**
 * Remembers what `read` answered for a short time. Callers who ask at once share one reading; a failure is not
 * remembered.
 */
export function briefly<Key, Value>(
  memoryMs: number,
  read: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const remembered = new Map<Key, { value: Promise<Value>; until: number }>();

  return (key) => {
    const now = performance.now();
    const known = remembered.get(key);
    if (known && now < known.until) return known.value;
    // Forgetting all at once keeps the memory bounded without a timer; it costs one reading each.
    if (remembered.size >= mostRemembered) remembered.clear();
    const value = read(key);
    remembered.set(key, { value, until: now + memoryMs });
    value.catch(() => remembered.delete(key));
    return value;
  };
}

const mostRemembered = 10_000;
