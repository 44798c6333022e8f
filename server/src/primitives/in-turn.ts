/**
 * Work on one thing after the other, where two at once would only wait for each other, and would hold connections that
 * others need while they do. Work on different things goes on side by side.
 */
export function inTurn(): <Result>(thing: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return async (thing, work) => {
    const before = last.get(thing);
    const mine = before ? before.then(work, work) : work();
    last.set(thing, mine);
    try {
      return await mine;
    } finally {
      if (last.get(thing) === mine) last.delete(thing);
    }
  };
}
