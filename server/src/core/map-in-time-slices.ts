import { setTimeout as sleep } from "node:timers/promises";

/** The longest time for which a slice blocks the event loop. */
const sliceMs = 10;

/**
 * Maps in slices of time and pauses after each slice for as long as it took, so that one merchant's many items do not
 * delay other requests.
 */
export async function mapInTimeSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(map(item));
    const tookMs = performance.now() - began;
    if (tookMs < sliceMs) continue;
    await sleep(tookMs);
    began = performance.now();
  }
  return results;
}
