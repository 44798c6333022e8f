import { type Background, type Loop, startLoop } from "./loop.ts";

/** Work on due items: take them, call external systems with no transaction open, and record the outcome. */
export type DueWork<Item, Key extends string = string> = {
  readonly name: string;
  /** The waiting time after a turn that left no work. */
  readonly everyMs: number;
  /** The maximum number of items per turn, and of items that are handled at the same time. */
  readonly batchSize: number;
  /**
   * Returns due items, except those of the keys in `busy`. Items whose work calls an external system must be leased
   * with `claimDue`.
   */
  readonly take: (limit: number, busy: readonly Key[]) => Promise<readonly Item[]>;
  readonly handle: (item: Item) => Promise<unknown>;
  /** True if the items of a turn are handled one after another, because their work only uses the database. */
  readonly oneByOne?: boolean;
  /**
   * Limits the running items of one key, such as a merchant, so that one key's slow work does not occupy all slots. If
   * this limit is set, a turn starts items without waiting for them, so a slow item occupies one slot and delays no
   * other item.
   */
  readonly share?: {
    readonly keyOf: (item: Item) => Key;
    /** A key with this many running items is busy. This is also the maximum number of items per `take`. */
    readonly size: number;
  };
  /** Called when an item fails. Other items are not affected. The item becomes due again. */
  readonly onFailure?: (item: Item, error: unknown) => void;
  readonly background: Background;
};

/** Starts the loop of one kind of due work. A turn waits for its items, unless `share` is set. */
export function startDueWork<Item, Key extends string = string>(work: DueWork<Item, Key>): Loop {
  const { name, everyMs, batchSize, take, handle, oneByOne = false, share, background } = work;
  const { onFailure = (_item, error) => background.onError(name, error) } = work;
  /**
   * During a backlog, the next turn starts as soon as this many slots are free. Otherwise it starts after `everyMs`.
   */
  const enoughFree = Math.ceil(batchSize / 4);
  const running = new Map<Promise<void>, Key>();
  let backlog = false;

  /** Returns whether the item was handled. */
  async function handleOne(item: Item): Promise<boolean> {
    try {
      await handle(item);
      return true;
    } catch (error) {
      onFailure(item, error);
      return false;
    }
  }

  async function handleAll(items: readonly Item[]): Promise<readonly boolean[]> {
    if (!oneByOne) return Promise.all(items.map(handleOne));
    const handled: boolean[] = [];
    for (const item of items) handled.push(await handleOne(item));
    return handled;
  }

  function start(item: Item, key: Key): void {
    const done = handleOne(item).then((handled) => {
      running.delete(done);
      // After a failure, the next turn waits for the interval, because an external system may be unavailable.
      if (handled && backlog && batchSize - running.size >= enoughFree) loop.wake();
    });
    running.set(done, key);
  }

  function busyKeys(size: number): Key[] {
    const counts = new Map<Key, number>();
    for (const key of running.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts].flatMap(([key, count]) => (count >= size ? [key] : []));
  }

  const loop = startLoop({
    name,
    everyMs,
    background,
    async work() {
      if (!share) {
        const items = await take(batchSize, []);
        const handled = await handleAll(items);
        // After a failure, the next turn waits for the interval. Items without a lease are still due, so an immediate
        // turn would take them again.
        return items.length === batchSize && handled.every((one) => one);
      }
      const limit = Math.min(batchSize - running.size, share.size);
      if (limit === 0) return false;
      const items = await take(limit, busyKeys(share.size));
      backlog = items.length === limit;
      for (const item of items) start(item, share.keyOf(item));
      return backlog && running.size < batchSize;
    },
  });

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(running.keys());
    },
  };
}
