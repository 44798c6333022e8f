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

/** The number of transfers summed per transaction: a few milliseconds, so that no payment waits long for it. */
const atOnce = 2_000;

const hourMs = 60 * 60 * 1000;

/** A payment becomes available within 30 days. After that its hour is not needed. */
const foldAfterMs = 32 * 24 * hourMs;

/** Keeps the balance checkpoints a few seconds behind the ledger, so that a balance read adds few transfers. */
export function startCheckpoints(
  { database, clock }: CheckpointDeps,
  background: Background,
): Loop {
  let foldedAt = 0;

  /** Folding reads all checkpoints, so it runs once an hour, as they are created. */
  async function fold(): Promise<void> {
    const now = clock.now().getTime();
    if (now - foldedAt < hourMs) return;
    await database.transaction((tx) => mergeCheckpoints(tx, new Date(now - foldAfterMs)));
    foldedAt = now;
  }

  return startLoop({
    name: "balance checkpoints",
    everyMs: 3_000,
    background,
    async work() {
      const isAll = await updateCheckpoints(database);
      await fold();
      return !isAll;
    },
  });
}

/** The limit of one round's wait for transactions to end. The next round retries. */
const waiting = { tries: 50, everyMs: 20 };

/**
 * Adds transfers to the checkpoints up to the last position drawn, after all transactions that may have drawn one have
 * ended. Positions are drawn in order but committed in any order. Without the wait, a transfer that commits late would
 * never be in a checkpoint. Returns whether nothing is left.
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
  return (await database.transaction((tx) => advanceCheckpoints(tx, last, atOnce))) >= last;
}
