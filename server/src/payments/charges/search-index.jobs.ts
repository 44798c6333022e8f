import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { listScopesToIndex } from "./charge-search.sql.ts";
import { blockSize } from "./charge-search.ts";
import { indexCharges, indexLateCharges, searchDelayMs } from "./index-charges.ts";

const batchesInTurn = 16;

/**
 * The waiting time between turns. A turn looks for unindexed charges of every merchant, and a search also reads the
 * charges that are not indexed yet.
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
      let more = await database.transaction(indexLateCharges);
      for (const scope of await listScopesToIndex(database.read, before, blockSize)) {
        if (signal.aborted) return false;
        // Limits the batches per merchant and round, so that one merchant's backlog does not delay the others.
        let left = true;
        for (let batch = 0; left && batch < batchesInTurn && !signal.aborted; batch++) {
          left = await database.transaction((tx) => indexCharges(tx, scope, clock.now()));
        }
        more ||= left;
      }
      return more;
    },
  });
}
