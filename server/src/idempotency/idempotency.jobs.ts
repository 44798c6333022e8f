import type { Database } from "../database/database.ts";
import { type Loop, startLoop } from "../jobs/loop.ts";
import { deleteExpiredKeys } from "./idempotency.sql.ts";

/** Small, so that no key waits behind a long deletion. */
const keysAtOnce = 1_000;

/** Deletes keys whose day is over (spec §8). They count as free from that moment on, deleted or not. */
export function startKeyExpiry(
  database: Database,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "idempotency key expiry",
    everyMs: 60_000,
    onError,
    work: async () =>
      (await database.transaction((tx) => deleteExpiredKeys(tx, keysAtOnce))) === keysAtOnce,
  });
}
