/**
 * Limits concurrent work per key. Calls above the limit wait in order and hold no connection or lock while they wait.
 * Work on different keys runs in parallel.
 */
export type KeyedConcurrencyLimit = <Result>(
  key: string,
  work: () => Promise<Result>,
) => Promise<Result>;

export function limitConcurrencyPerKey(max: number): KeyedConcurrencyLimit {
  const busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (key, work) => {
    const slots = busy.get(key) ?? { running: 0, waiting: [] };
    busy.set(key, slots);
    if (slots.running < max) slots.running++;
    else await new Promise<void>((resolve) => slots.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next waiter takes over this slot, so that no new call can take it first.
      const next = slots.waiting.shift();
      if (next) next();
      else if (--slots.running === 0) busy.delete(key);
    }
  };
}
