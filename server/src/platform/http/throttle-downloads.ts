import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";

/**
 * The maximum number of pages that wait for the database, so that other requests find one of the pool's connections (16
 * by default). Further downloads wait until a page is ready.
 */
const maxPages = 4;

const oneOfMerchant = limitConcurrencyPerKey(1);
const fewPages = limitConcurrencyPerKey(maxPages);
const oneAtATime = limitConcurrencyPerKey(1);

/**
 * The time after which the next merchant's page starts, even if the current page is not ready. A page that is not ready
 * by then waits for the database, for example because few of the merchant's objects match the filter.
 */
const maxTurnMs = 500;

/**
 * Starts the pages of all downloads one after another. Before the next page, it waits for as long as the event loop was
 * busy during the last page. Regardless of the number of downloads, a payment waits for a few pages at most, and
 * payments that are in progress slow the downloads. A slow client does not block other downloads. The merchants take
 * turns, so that the many downloads of one merchant do not delay those of another.
 */
export async function* throttleDownloads<Page>(
  pages: AsyncIterable<Page>,
  merchant: string,
): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await oneOfMerchant(merchant, () =>
        fewPages("pages", async () => {
          const { result } = await oneAtATime("page", () => startPage(iterator));
          return result;
        }),
      );
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Starts the next page and waits for the end of its turn. Returns the promise in an object, because an async function
 * would otherwise wait for it.
 */
async function startPage<Page>(
  iterator: AsyncIterator<Page>,
): Promise<{ readonly result: Promise<IteratorResult<Page>> }> {
  const before = performance.eventLoopUtilization();
  const result = iterator.next();
  const turn = new AbortController();
  await Promise.race([
    result.catch(() => undefined),
    sleep(maxTurnMs, undefined, { signal: turn.signal }).catch(() => undefined),
  ]);
  turn.abort();
  await sleep(performance.eventLoopUtilization(before).active);
  return { result };
}
