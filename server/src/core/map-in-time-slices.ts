import { setTimeout as sleep } from "node:timers/promises";

/** The time after which a slice ends. The item in progress at that time still belongs to the slice. */
const sliceMs = 10;

/**
 * Maps the items in slices of time, and waits after each slice for as long as the slice took. One merchant's many items
 * therefore do not delay other requests.
 */
export async function mapInTimeSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let startedAt = performance.now();
  for (const item of items) {
    results.push(map(item));
    const tookMs = performance.now() - startedAt;
    if (tookMs < sliceMs) continue;
    await sleep(tookMs);
    startedAt = performance.now();
  }
  return results;
}
