import type { Database } from "../src/platform/database/database.ts";
import { fragment, type Tx } from "../src/platform/database/sql.ts";
import { until } from "./until.ts";

type QueuedRequests<Result> = {
  /** Acquires the lock that the requests wait for. */
  readonly lock: (tx: Tx) => Promise<unknown>;
  /** Counts only waiting statements that contain this text, for a service whose background loops may wait too. */
  readonly statement?: string;
  readonly requests: readonly (() => Promise<Result>)[];
  /** Makes changes that are committed when the lock is released. */
  readonly beforeRelease?: (tx: Tx) => Promise<unknown>;
};

/**
 * Runs the requests one after the other, each until it waits for the lock. Then releases the lock, so that the requests
 * acquire it in this order. The database needs a connection for the lock, one for each request, and one to
 * count the waiting requests.
 */
export async function queueBehind<Result>(
  database: Database,
  { lock, statement = "", requests, beforeRelease }: QueuedRequests<Result>,
): Promise<Result[]> {
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await lock(tx);
    locked.resolve();
    await released.promise;
    await beforeRelease?.(tx);
  });
  try {
    await Promise.race([locked.promise, holding]);
    const sent: Promise<Result>[] = [];
    for (const request of requests) {
      sent.push(request());
      await until(
        () => countLockWaits(database, statement),
        (count) => count === sent.length,
      );
    }
    released.resolve();
    return await Promise.all(sent);
  } finally {
    released.resolve();
    await holding;
  }
}

/** Counts the statements that wait for a lock and contain this text. */
export async function countLockWaits(database: Database, statement = ""): Promise<number> {
  const [row] = await database.read<{ count: number }>`
    select count(*)::int as count
      from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
       ${statement === "" ? fragment`` : fragment`and position(${statement} in query) > 0`}
  `;
  return row?.count ?? 0;
}
