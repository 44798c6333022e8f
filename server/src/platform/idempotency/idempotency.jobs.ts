import type { Database } from "../database/database.ts";
import { type Background, type Loop, startLoop } from "../jobs/loop.ts";
import { deleteExpiredKeys } from "./idempotency.sql.ts";

/** The batch size. It is small, so that no request for one of the deleted keys waits long for the deletion. */
const keyBatchSize = 1_000;

/** Deletes idempotency keys after 24 hours. An expired key counts as free even before it is deleted. */
export function startKeyExpiry(database: Database, background: Background): Loop {
  return startLoop({
    name: "idempotency key expiry",
    everyMs: 60_000,
    background,
    work: async () =>
      (await database.autocommit((tx) => deleteExpiredKeys(tx, keyBatchSize))) === keyBatchSize,
  });
}
