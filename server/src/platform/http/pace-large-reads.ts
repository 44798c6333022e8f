import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";
import type { ApiResponse } from "./route.ts";
import { sizeOf } from "./unread-responses.ts";

/** A list of a hundred charges with little metadata has 165 KB, and one with the most metadata has 3 MB. */
const minLargeBytes = 512 * 1024;

/** The time after a large response in which the merchant's reads run one at a time. */
const pacedMs = 1_000;

/** The maximum time by which a large response is delayed. */
const maxPauseMs = 1_000;

/** Runs the work of a merchant's request that reads data. */
export type PaceReads = (
  merchant: string,
  work: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

/**
 * Returns a function that runs the reads of a merchant one at a time while their responses are large. After a large
 * response, it waits for as long as the event loop was busy during the read, up to a second. A page of a hundred large
 * objects occupies the event loop for about 20 ms, and the steps of another merchant's payment would each wait for
 * several such pages. The size of a response is not known in advance, so the last large response determines how the
 * next reads run.
 */
export function paceLargeReads(): PaceReads {
  const oneOfMerchant = limitConcurrencyPerKey(1);
  /** The merchants whose reads run one at a time, each with the timer that ends this. */
  const paced = new Map<string, NodeJS.Timeout>();

  function pace(merchant: string): void {
    clearTimeout(paced.get(merchant));
    paced.set(merchant, setTimeout(() => paced.delete(merchant), pacedMs).unref());
  }

  async function run(merchant: string, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const before = performance.eventLoopUtilization();
    const response = await work();
    // The pages of a download are paced by `throttleDownloads`.
    if (response.stream || sizeOf(response) < minLargeBytes) return response;
    await sleep(Math.min(performance.eventLoopUtilization(before).active, maxPauseMs));
    pace(merchant);
    return response;
  }

  return (merchant, work) =>
    paced.has(merchant) ? oneOfMerchant(merchant, () => run(merchant, work)) : run(merchant, work);
}
