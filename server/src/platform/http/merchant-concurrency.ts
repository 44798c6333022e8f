import { ApiError } from "../../core/api-error.ts";
import {
  type BoundedConcurrency,
  boundConcurrency,
  Overloaded,
} from "../../core/bounded-concurrency.ts";

/**
 * Calls `work` as soon as fewer than the maximum number of calls for the same merchant are running. Rejects if too many
 * calls are already waiting.
 */
export type MerchantConcurrency = <Result>(
  merchant: string,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Limits the concurrent work of each merchant, such as large reads. A page of a hundred large objects occupies a
 * database connection and the event loop for tens of milliseconds, and a merchant may request a hundred pages a second.
 */
export function createMerchantConcurrency(limits: {
  maxRunning: number;
  maxWaiting: number;
}): MerchantConcurrency {
  const limiters = new Map<string, { readonly run: BoundedConcurrency; users: number }>();

  return async (merchant, work) => {
    const limiter = limiters.get(merchant) ?? { run: boundConcurrency(limits), users: 0 };
    limiters.set(merchant, limiter);
    limiter.users += 1;
    try {
      return await limiter.run(work);
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      throw new ApiError(
        "concurrency_limit_exceeded",
        "The limit of concurrent requests was exceeded. Send fewer concurrent requests, then retry.",
        { retryAfterSeconds: 2 },
      );
    } finally {
      limiter.users -= 1;
      if (limiter.users === 0) limiters.delete(merchant);
    }
  };
}
