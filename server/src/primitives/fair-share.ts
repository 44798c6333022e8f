/**
 * Runs work on one thing at most so many times at once. Whoever comes later waits here, in order, and holds nothing that
 * others need while it does; work on different things goes on side by side.
 */
export type FairShare = <Result>(thing: string, work: () => Promise<Result>) => Promise<Result>;

export function fairShare(most: number): FairShare {
  const busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (thing, work) => {
    const share = busy.get(thing) ?? { running: 0, waiting: [] };
    busy.set(thing, share);
    if (share.running < most) share.running++;
    else await new Promise<void>((go) => share.waiting.push(go));
    try {
      return await work();
    } finally {
      // Whoever is next takes over this place, so that nobody slips in before.
      const next = share.waiting.shift();
      if (next) next();
      else if (--share.running === 0) busy.delete(thing);
    }
  };
}
