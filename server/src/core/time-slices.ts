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
