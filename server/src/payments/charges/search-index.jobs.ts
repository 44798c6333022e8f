import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { listScopesToIndex } from "./charge-search.sql.ts";
import { blockSize } from "./charge-search.ts";
import { indexCharges, indexLateCharges, searchDelayMs } from "./index-charges.ts";

/**
 * The maximum number of batches in a turn, for the late charges and for each merchant. The limit keeps one merchant's
 * backlog from delaying the others. Every turn reads all merchants, so a turn with one small batch would cost more than
 * the batch.
 */
const batchesInTurn = 16;

/**
 * The waiting time between turns. A shorter time would cost more queries, because a turn looks for unindexed charges of
 * every merchant. A longer time would slow down searches, because a search reads all charges that are not indexed yet.
 */
const everyMs = 15_000;

/** Adds charges to the search index once they are `searchDelayMs` old. */
export function startSearchIndexing(
  deps: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  const { database, clock } = deps;
  return startLoop({
    name: "search entries",
    everyMs,
    background,
    async work(signal) {
      const before = firstUuidAt(new Date(clock.now().getTime() - searchDelayMs));
      let more = await runBatches(indexLateCharges, signal);
      for (const scope of await listScopesToIndex(database.read, before, blockSize)) {
        if (signal.aborted) return false;
        const left = await runBatches((tx) => indexCharges(tx, scope, clock.now()), signal);
        more ||= left;
      }
      return more;
    },
  });

  /** Runs the batches of one turn. Returns whether there may be more. */
  async function runBatches(
    indexBatch: (tx: Tx) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<boolean> {
    let left = true;
    for (let batch = 0; left && batch < batchesInTurn && !signal.aborted; batch++) {
      left = await database.transaction(indexBatch);
    }
    return left;
  }
}
