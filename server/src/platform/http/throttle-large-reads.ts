import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";
import { systemTimers, type Timers } from "../../core/timers.ts";
import type { ApiResponse } from "./route.ts";
import { sizeOf } from "./unread-responses.ts";

/**
 * The size from which a response counts as large. A list of a hundred charges is 165 KB with little metadata, and 3 MB
 * with the most metadata.
 */
const minLargeBytes = 512 * 1024;

/** The minimum time after a large response in which the merchant's reads run one at a time. */
const minThrottledMs = 1_000;

/** The maximum time by which a large response is delayed. */
const maxPauseMs = 1_000;

/** Runs the work of a merchant's request that reads data. */
export type ThrottleReads = (
  merchant: string,
  work: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

/**
 * Returns a function that limits each merchant to one concurrent read after a large response. Delays a large response
 * by the time that the event loop was busy during its read, up to a second. A page of a hundred large objects occupies
 * the event loop for about 20 ms. Without the limit, each step of another merchant's payment waits for several such
 * pages. The size of a response is not known in advance, so the last large response determines how the next reads run.
 */
export function throttleLargeReads(timers: Timers = systemTimers): ThrottleReads {
  const limitPerMerchant = limitConcurrencyPerKey(1);
  /** The merchants whose reads run one at a time, each with the function that cancels the end of the throttling. */
  const throttled = new Map<string, () => void>();

  function throttle(merchant: string, delayMs: number): void {
    throttled.get(merchant)?.();
    throttled.set(
      merchant,
      timers.after(delayMs, () => throttled.delete(merchant)),
    );
  }

  async function run(merchant: string, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const startedAt = performance.now();
    const before = performance.eventLoopUtilization();
    const response = await work();
    // The pages of a download are throttled by `throttleDownloads`.
    if (response.stream || sizeOf(response) < minLargeBytes) return response;
    const pauseMs = Math.min(performance.eventLoopUtilization(before).active, maxPauseMs);
    // On a busy server, the merchant's next large read can take more than a second. The throttling must not end during
    // that read.
    const throttledMs = Math.max(minThrottledMs, 2 * (performance.now() - startedAt));
    throttle(merchant, pauseMs + throttledMs);
    await sleep(pauseMs);
    return response;
  }

  return (merchant, work) =>
    throttled.has(merchant)
      ? limitPerMerchant(merchant, () => run(merchant, work))
      : run(merchant, work);
}
