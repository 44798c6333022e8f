import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import {
  advanceCheckpoints,
  listWriters,
  mergeCheckpoints,
  readCheckpointPosition,
  readLastPosition,
} from "./checkpoint.sql.ts";

export type CheckpointDeps = { readonly database: Database; readonly clock: Clock };

/**
 * The number of transfers summed per transaction. With many merchants, most of the cost is one update per merchant and
 * batch, so larger batches are cheaper. A batch of this size takes about 30 ms, and payments do not wait for it.
 */
const batchSize = 10_000;

const hourMs = 60 * 60 * 1000;

/** Updates the balance checkpoints every few seconds, so that a balance query adds few transfers to them. */
export function startCheckpoints(
  { database, clock }: CheckpointDeps,
  background: Background,
): Loop {
  let mergedAt = 0;

  /** Merges old hourly sums. This reads all checkpoints, so it runs only once an hour. */
  async function mergeOldSums(): Promise<void> {
    const now = clock.now();
    if (now.getTime() - mergedAt < hourMs) return;
    await database.autocommit((tx) => mergeCheckpoints(tx, now));
    mergedAt = now.getTime();
  }

  return startLoop({
    name: "balance checkpoints",
    everyMs: 3_000,
    background,
    async work() {
      const isComplete = await updateCheckpoints(database);
      await mergeOldSums();
      return !isComplete;
    },
  });
}

/** Limits how long one round waits for open transactions to end. If the wait times out, the next round retries. */
const waiting = { tries: 50, everyMs: 20 };

/**
 * Adds transfers to the checkpoints, up to the last position taken from the sequence. Waits first for all transactions
 * that may have taken such a position, because positions are assigned in order but committed in any order. Without the
 * wait, no checkpoint would include a transfer that commits late. Returns false only if the batch size left some of
 * these transfers for the next call.
 */
export async function updateCheckpoints(database: Database): Promise<boolean> {
  const last = await readLastPosition(database.read);
  if (last <= (await readCheckpointPosition(database.read))) return true;
  const writers = new Set(await listWriters(database.read));
  for (let tried = 0; writers.size > 0; tried++) {
    if (tried === waiting.tries) return true;
    await sleep(waiting.everyMs);
    const still = new Set(await listWriters(database.read));
    for (const writer of writers) if (!still.has(writer)) writers.delete(writer);
  }
  return (await database.transaction((tx) => advanceCheckpoints(tx, last, batchSize))) >= last;
}
