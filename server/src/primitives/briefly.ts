/** For what must be known everywhere within a second, of which a slow reading may take the rest. */
export const withinASecondMs = 750;

/** What was read lately, or else reads it. */
export type Briefly<Key, Value> = {
  (key: Key): Promise<Value>;
  /** For whoever has just changed it: in this process it is read anew by whoever asks from now on. */
  forget(): void;
};

/**
 * Remembers what `read` answered for a short time. Callers who ask at once share one reading; a failure is not
 * remembered.
 */
export function briefly<Key, Value>(
  memoryMs: number,
  read: (key: Key) => Promise<Value>,
): Briefly<Key, Value> {
  const remembered = new Map<Key, { value: Promise<Value>; until: number }>();

  const ask = (key: Key): Promise<Value> => {
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
  return Object.assign(ask, { forget: () => remembered.clear() });
}

const mostRemembered = 10_000;
