import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";

const oneAtATime = limitConcurrencyPerKey(1);

/**
 * Renders the pages of all downloads one after another. After each page it waits for as long as the page took. Regardless
 * of the number of downloads, a payment waits for at most one page. A slow client does not block other downloads.
 */
export async function* throttleDownloads(pages: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await oneAtATime("page", async () => {
        const startedAt = performance.now();
        const result = await iterator.next();
        await sleep(performance.now() - startedAt);
        return result;
      });
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}
