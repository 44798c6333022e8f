/**
 * Limits concurrent work per key. Further calls wait in order and hold no connection or lock while they wait. Work on
 * different keys runs in parallel.
 */
export type KeyedConcurrencyLimit = <Result>(
  thing: string,
  work: () => Promise<Result>,
) => Promise<Result>;

export function limitConcurrencyPerKey(most: number): KeyedConcurrencyLimit {
  const busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (thing, work) => {
    const share = busy.get(thing) ?? { running: 0, waiting: [] };
    busy.set(thing, share);
    if (share.running < most) share.running++;
    else await new Promise<void>((go) => share.waiting.push(go));
    try {
      return await work();
    } finally {
      // The next waiter takes over this slot, so that no new call can take it first.
      const next = share.waiting.shift();
      if (next) next();
      else if (--share.running === 0) busy.delete(thing);
    }
  };
}
