import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";

const turn = limitConcurrencyPerKey(1);

/**
 * Produces the pages of all downloads one after another, with a pause after each that is as long as the page took.
 * However many downloads run, a payment waits for at most one page. A slow reader blocks no other download.
 */
export async function* throttleDownloads(pages: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await turn("page", async () => {
        const began = performance.now();
        const made = await iterator.next();
        await sleep(performance.now() - began);
        return made;
      });
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}
