import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { type Loop, startLoop } from "../jobs/loop.ts";
import type { Clock } from "../primitives/clock.ts";
import {
  foldSeals,
  listWriters,
  readLastPosition,
  readSealedThrough,
  sealThrough,
} from "./seal.sql.ts";

export type SealDeps = { readonly database: Database; readonly clock: Clock };

/** So many transfers are summed up in one transaction: a few milliseconds, so that no payment waits long beside it. */
const atOnce = 2_000;

const hourMs = 60 * 60 * 1000;

/** A payment settles within 30 days; after that nobody asks for its hour. */
const foldAfterMs = 32 * 24 * hourMs;

/** Keeps the sums of balances a few seconds behind the ledger, so that whoever asks has little to add. */
export function startSealing(
  { database, clock }: SealDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  let foldedAt = 0;

  /** All sums are looked at for it, so it is done by the hour, as they are made. */
  async function fold(): Promise<void> {
    const now = clock.now().getTime();
    if (now - foldedAt < hourMs) return;
    await database.transaction((tx) => foldSeals(tx, new Date(now - foldAfterMs)));
    foldedAt = now;
  }

  return startLoop({
    name: "balance seals",
    everyMs: 3_000,
    onError,
    async work() {
      const isAll = await seal(database);
      await fold();
      return !isAll;
    },
  });
}

/** How long one turn waits for transactions to end; the next one tries again. */
const patience = { tries: 50, everyMs: 20 };

/**
 * Sums up what nobody can add to any more: the positions that were given out before now, when all who may have drawn
 * one have ended. Positions are drawn in order but committed in any order, so without the wait a transfer that commits
 * late would be in no sum for ever. Answers whether that was all.
 */
export async function seal(database: Database): Promise<boolean> {
  const last = await readLastPosition(database.read);
  if (last <= (await readSealedThrough(database.read))) return true;
  const writers = new Set(await listWriters(database.read));
  for (let tried = 0; writers.size > 0; tried++) {
    if (tried === patience.tries) return true;
    await sleep(patience.everyMs);
    const still = new Set(await listWriters(database.read));
    for (const writer of writers) if (!still.has(writer)) writers.delete(writer);
  }
  return (await database.transaction((tx) => sealThrough(tx, last, atOnce))) >= last;
}
