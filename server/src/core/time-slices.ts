import { setTimeout as sleep } from "node:timers/promises";

/** The time after which a slice ends. The item in progress at that time still belongs to the slice. */
const sliceMs = 10;

/**
 * Runs `work` on each item in slices of time, and waits after each slice for as long as the slice took. One merchant's
 * many items therefore do not delay other requests.
 */
export async function forEachInTimeSlices<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
): Promise<void> {
  let startedAt = performance.now();
  for (const item of items) {
    work(item);
    const tookMs = performance.now() - startedAt;
    if (tookMs < sliceMs) continue;
    await sleep(tookMs);
    startedAt = performance.now();
  }
}

/** Runs short work immediately, or returns a promise if it must wait. */
export type Paced = <Result>(work: () => Result) => Result | Promise<Result>;

/**
 * Returns a function that runs many short pieces of work in slices of time. Unlike `forEachInTimeSlices`, it is called
 * separately for each piece. Without slices, all pieces that arrive in one turn of the event loop would run directly
 * after each other.
 */
export function paceInTimeSlices(): Paced {
  let tookMs = 0;
  let endedAt = 0;
  let pause: Promise<void> | null = null;

  function isDue(): boolean {
    if (pause !== null) return false;
    if (tookMs < sliceMs) return true;
    if (performance.now() - endedAt < tookMs) return false;
    tookMs = 0;
    return true;
  }

  function run<Result>(work: () => Result): Result {
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      endedAt = performance.now();
      tookMs += endedAt - startedAt;
    }
  }

  async function runLater<Result>(work: () => Result): Promise<Result> {
    while (!isDue()) {
      pause ??= sleep(tookMs).then(() => {
        tookMs = 0;
        pause = null;
      });
      await pause;
    }
    return run(work);
  }

  return (work) => (isDue() ? run(work) : runLater(work));
}

/** Maps the items in slices of time, like `forEachInTimeSlices`. */
export async function mapInTimeSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachInTimeSlices(items, (item) => {
    results.push(map(item));
  });
  return results;
}
