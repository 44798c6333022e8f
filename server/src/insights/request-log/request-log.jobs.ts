import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { startDeletions } from "../../platform/jobs/delete-expired.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { deleteOldRequests } from "./request-log.sql.ts";

/** The time for which requests are listed. */
export const requestLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Deletes requests older than a month, if their week has no partition. */
export function startRequestLogExpiry(
  { database, clock }: { database: Database; clock: Clock },
  background: Background,
): Loop {
  const oldest = () => firstUuidAt(new Date(clock.now().getTime() - requestLifeMs));
  return startDeletions(
    {
      name: "request log expiry",
      everyMs: 60_000,
      database,
      deletions: [(tx, limit) => deleteOldRequests(tx, oldest(), limit)],
      batchSize: 1_000,
    },
    background,
  );
}
