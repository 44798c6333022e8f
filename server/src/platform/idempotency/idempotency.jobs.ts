import type { Database } from "../database/database.ts";
import { startDeletions } from "../jobs/delete-expired.ts";
import type { Background, Loop } from "../jobs/loop.ts";
import { deleteExpiredKeys } from "./idempotency.sql.ts";

/** Deletes idempotency keys after 24 hours. An expired key counts as free even before it is deleted. */
export function startKeyExpiry(database: Database, background: Background): Loop {
  return startDeletions(
    {
      name: "idempotency key expiry",
      everyMs: 60_000,
      database,
      deletions: [deleteExpiredKeys],
      batchSize: 1_000,
    },
    background,
  );
}
