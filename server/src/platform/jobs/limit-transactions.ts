import type { Database } from "../database/database.ts";

/** Limits the pause after a long transaction, so that a stop of the service does not wait long for it. */
export const maxPauseMs = 500;

/**
 * Returns the database for background jobs without a deadline, such as the deletion of expired rows. Their transactions
 * run one at a time, and each is followed by a pause of the same length, but at most half a second. Without this limit,
 * the backlogs of several jobs would use all cores of the database, and charges would be slower in the meantime
 * (docs/decisions/0092-jobs-without-a-deadline-share-one-slot.md). Reads are not limited.
 *
 * A limited transaction must not start another one. Each would wait for the other, and all limited jobs would stop.
 */
export function limitTransactions(database: Database): Database {
  /** Resolves when the next transaction may start. */
  let free = Promise.resolve();

  async function limited<Result>(run: () => Promise<Result>): Promise<Result> {
    const previous = free;
    let release!: () => void;
    free = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      setTimeout(release, Math.min(performance.now() - startedAt, maxPauseMs));
    }
  }

  return {
    ...database,
    transaction: (work) => limited(() => database.transaction(work)),
    autocommit: (work) => limited(() => database.autocommit(work)),
    transactionOf: (scope, work) => limited(() => database.transactionOf(scope, work)),
  };
}
