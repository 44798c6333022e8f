import { ApiError } from "../../core/api-error.ts";
import {
  type BoundedConcurrency,
  boundConcurrency,
  Overloaded,
} from "../../core/bounded-concurrency.ts";

/** Runs a read of one merchant in one mode when fewer than its share are running. */
export type ReadLimits = <Result>(merchant: string, read: () => Promise<Result>) => Promise<Result>;

/**
 * Limits the concurrent reads of each merchant. A page of a hundred large objects takes a connection and the event
 * loop for tens of milliseconds, and a merchant may request a hundred pages a second.
 */
export function createReadLimits(limits: { maxRunning: number; maxWaiting: number }): ReadLimits {
  const shares = new Map<string, { readonly run: BoundedConcurrency; users: number }>();

  return async (merchant, read) => {
    const share = shares.get(merchant) ?? { run: boundConcurrency(limits), users: 0 };
    shares.set(merchant, share);
    share.users += 1;
    try {
      return await share.run(read);
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      throw new ApiError(
        "concurrency_limit_exceeded",
        "The limit of concurrent requests is exceeded. Send fewer at the same time, then retry.",
        { retryAfterSeconds: 2 },
      );
    } finally {
      share.users -= 1;
      if (share.users === 0) shares.delete(merchant);
    }
  };
}
