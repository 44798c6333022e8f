import type { Database } from "../database/database.ts";
import { type Background, type Loop, startLoop } from "../jobs/loop.ts";
import { deleteOldChanges } from "./change-feed.sql.ts";

/** Deletes old changes. A process that has not read them by then drops all its cached values (`maxGapMs`). */
export function startChangeExpiry(database: Database, background: Background): Loop {
  return startLoop({
    name: "configuration change expiry",
    everyMs: 10 * 60_000,
    background,
    async work() {
      await database.autocommit(deleteOldChanges);
      return false;
    },
  });
}
