import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { deleteOldRequests } from "./request-log.sql.ts";

/** The time for which requests are listed. */
export const requestLifeMs = 30 * 24 * 60 * 60 * 1000;

/** The batch is small, so that no other transaction waits for a long deletion. */
const batchSize = 1_000;

/** Deletes requests older than a month, if their week has no partition. */
export function startRequestLogExpiry(
  { database, clock }: { database: Database; clock: Clock },
  background: Background,
): Loop {
  return startLoop({
    name: "request log expiry",
    everyMs: 60_000,
    background,
    work: async () => {
      const oldest = firstUuidAt(new Date(clock.now().getTime() - requestLifeMs));
      return (
        (await database.autocommit((tx) => deleteOldRequests(tx, oldest, batchSize))) === batchSize
      );
    },
  });
}
