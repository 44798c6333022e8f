import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { firstOpenHour, measureAgain, measureOn } from "./hourly-metrics.ts";
import { listHoursToRecount, listUnmeasured } from "./metrics.sql.ts";

const recheckBatchSize = 50;

/** Counts the payments of each hour after its end, and again until the count is final. */
export function startMeasuring(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  return startLoop({
    name: "payment metrics",
    everyMs: 30_000,
    background,
    async work(signal) {
      const now = clock.now();
      const unmeasured = await listUnmeasured(database.read, firstOpenHour(now));
      for (const { scope, hour } of unmeasured) {
        if (signal.aborted) return false;
        await database.transaction((tx) => measureOn(tx, scope, hour, now));
      }
      const again = await listHoursToRecount(database.read, now, recheckBatchSize);
      for (const { scope, hour } of again) {
        if (signal.aborted) return false;
        await database.transaction((tx) => measureAgain(tx, scope, hour, now));
      }
      return unmeasured.length > 0 || again.length === recheckBatchSize;
    },
  });
}
