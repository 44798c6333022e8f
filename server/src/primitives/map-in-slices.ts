import { setTimeout as sleep } from "node:timers/promises";

/** How long the event loop is held at once. */
const sliceMs = 10;

/**
 * Maps in slices of time, and rests after each slice for as long as it took, so that work on many items that one merchant
 * chose does not keep the others waiting.
 */
export async function mapInSlices<Item, Result>(
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
