import type { Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import { type Background, type Loop, startLoop } from "./loop.ts";

/** Deletes at most `limit` expired rows of one table, and returns their number. */
export type Deletion = (tx: Tx, limit: number) => Promise<number>;

type DeletionJob = {
  readonly name: string;
  readonly everyMs: number;
  readonly database: Database;
  readonly deletions: readonly Deletion[];
  /** The limit of each deletion. It must be small enough that no other transaction waits long for a deletion. */
  readonly batchSize: number;
};

/**
 * Starts a loop that runs each deletion in a separate transaction. If one of them deleted a full batch, the next turn
 * starts immediately.
 */
export function startDeletions(
  { name, everyMs, database, deletions, batchSize }: DeletionJob,
  background: Background,
): Loop {
  return startLoop({
    name,
    everyMs,
    background,
    async work(signal) {
      let more = false;
      for (const remove of deletions) {
        if (signal.aborted) return false;
        const deleted = await database.autocommit((tx) => remove(tx, batchSize));
        if (deleted === batchSize) more = true;
      }
      return more;
    },
  });
}
