import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { listUnsearched } from "./charge-search.sql.ts";
import { blockSize } from "./charge-search.ts";
import { enterCharges, enterLateCharges, searchDelayMs } from "./search-charges.ts";

const batchesInTurn = 16;

/** Indexes charges for search in the background, a short time after they were created. */
export function startSearchEntries(
  deps: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  const { database, clock } = deps;
  return startLoop({
    name: "search entries",
    everyMs: 5_000,
    background,
    async work(signal) {
      const before = firstUuidAt(new Date(clock.now().getTime() - searchDelayMs));
      let more = await database.transaction(enterLateCharges);
      for (const scope of await listUnsearched(database.read, before, blockSize)) {
        if (signal.aborted) return false;
        // A few batches per merchant in turn, so that one merchant's backlog does not block the others.
        let left = true;
        for (let batch = 0; left && batch < batchesInTurn; batch++) {
          left = await database.transaction((tx) => enterCharges(tx, scope, clock.now()));
        }
        more ||= left;
      }
      return more;
    },
  });
}
