import type { Database } from "../database/database.ts";

/** The maximum share of the time in which the limited transactions run. */
const maxShare = 0.5;

/** Limits the pause after a long transaction, so that a stop of the service does not wait long for it. */
const maxPauseMs = 500;

/**
 * Returns the database for background jobs without a deadline, such as the deletion of expired rows. Their transactions
 * run one at a time, and each is followed by a pause of the same length. Without this limit, the backlogs of several
 * jobs would use all cores of the database, and charges would be slower in the meantime
 * (docs/decisions/0092-jobs-without-a-deadline-share-one-slot.md). Reads are not limited.
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
      const pauseMs = (performance.now() - startedAt) * (1 / maxShare - 1);
      setTimeout(release, Math.min(pauseMs, maxPauseMs));
    }
  }

  return {
    ...database,
    transaction: (work) => limited(() => database.transaction(work)),
    autocommit: (work) => limited(() => database.autocommit(work)),
  };
}
