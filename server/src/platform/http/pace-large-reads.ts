import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";
import type { ApiResponse } from "./route.ts";
import { sizeOf } from "./unread-responses.ts";

/** A list of a hundred charges with little metadata has 165 KB, and one with the most metadata has 3 MB. */
const minLargeBytes = 512 * 1024;

/** The time after a large response in which the merchant's reads run one at a time. */
const pacedMs = 1_000;

/** Runs the work of a merchant's request that reads data. */
export type PaceReads = (
  merchant: string,
  work: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

/**
 * Returns a function that runs the reads of a merchant one at a time while their responses are large. After a large
 * response, it waits for as long as the event loop was busy during the read. A page of a hundred large objects occupies
 * the event loop for about 20 ms, and the steps of another merchant's payment would each wait for several such pages.
 * The size of a response is not known in advance, so the last large response determines how the next reads run.
 */
export function paceLargeReads(): PaceReads {
  const oneOfMerchant = limitConcurrencyPerKey(1);
  const lastLarge = new Map<string, number>();

  function isPaced(merchant: string): boolean {
    const at = lastLarge.get(merchant);
    if (at === undefined) return false;
    if (performance.now() - at <= pacedMs) return true;
    lastLarge.delete(merchant);
    return false;
  }

  async function run(merchant: string, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const before = performance.eventLoopUtilization();
    const response = await work();
    // The pages of a download are paced by `throttleDownloads`.
    if (response.stream || sizeOf(response) < minLargeBytes) return response;
    await sleep(performance.eventLoopUtilization(before).active);
    lastLarge.set(merchant, performance.now());
    return response;
  }

  return (merchant, work) =>
    isPaced(merchant) ? oneOfMerchant(merchant, () => run(merchant, work)) : run(merchant, work);
}
