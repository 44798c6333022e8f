import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";

const oneAtATime = limitConcurrencyPerKey(1);

/**
 * Renders the pages of all downloads one after another. Before the next page, it waits for as long as the event loop
 * was busy during the last page. Regardless of the number of downloads, a payment waits for at most one page, and
 * payments that are in progress slow the downloads. A slow client does not block other downloads.
 */
export async function* throttleDownloads<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await oneAtATime("page", async () => {
        const before = performance.eventLoopUtilization();
        const result = await iterator.next();
        await sleep(performance.eventLoopUtilization(before).active);
        return result;
      });
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}
