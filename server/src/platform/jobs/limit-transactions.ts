import type { Database } from "../database/database.ts";

/** The maximum share of the time in which the limited transactions run. */
const maxShare = 0.5;

/** Limits the pause after a long transaction, so that a stop of the service does not wait long for it. */
const maxPauseMs = 500;

/**
 * Returns the database for jobs that may have a long backlog and that nobody waits for, such as the deletion of expired
 * rows. Their transactions run one at a time, with a pause after each one as long as the transaction. Without the limit,
 * several such jobs would use all cores of the database until they have caught up, for example when an upgrade adds an
 * index or a day ends, and charges would be slower in the meantime. Reads are not limited.
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
