import { type Loop, startLoop } from "./loop.ts";

/** Work on items that come due: take them, call the outside with no transaction open, record the outcome. */
export type DueWork<Item> = {
  readonly name: string;
  /** The waiting time after a turn that left no work. */
  readonly everyMs: number;
  /** The maximum number of items per turn. */
  readonly batchSize: number;
  /** Returns due items. `claimDue` leases them, which is needed if their work calls the outside. */
  readonly take: (limit: number) => Promise<readonly Item[]>;
  readonly handle: (item: Item) => Promise<unknown>;
  /** True if the items of a turn are handled one after another, because their work only uses the database. */
  readonly oneByOne?: boolean;
  /** Called with the failure of one item, which must not stop the others. The item comes due again. */
  readonly onFailure?: (item: Item, error: unknown) => void;
  readonly onError: (name: string, error: unknown) => void;
};

/** Starts the loop of one kind of due work. */
export function startDueWork<Item>(work: DueWork<Item>): Loop {
  const { name, everyMs, batchSize, take, handle, oneByOne = false, onError } = work;
  const { onFailure = (_item, error) => onError(name, error) } = work;

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

  return startLoop({
    name,
    everyMs,
    onError,
    async work() {
      const items = await take(batchSize);
      const handled = await handleAll(items);
      // After a failure the next turn waits, because items without a lease are still due.
      return items.length === batchSize && handled.every((one) => one);
    },
  });
}
