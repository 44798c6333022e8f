import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../core/api-error.ts";
import type { Scope } from "../core/scope.ts";
import type { Database } from "../platform/database/database.ts";
import { bindTag, type Sql } from "../platform/database/sql.ts";
import { tryReconciliationLock } from "./reconciliation.sql.ts";

/**
 * The session settings for joins over whole days. The memory limit avoids temporary files. The time limit is longer
 * than that of other statements, which is too short for the joins of a merchant with 500,000 payments in the compared
 * period.
 */
const session = { work_mem: "128MB", statement_timeout: "10min" };

const lockRetryMs = 200;

/**
 * The maximum wait for the lock. Reconciling a day of a very busy merchant takes half a minute (docs/decisions/0017).
 */
const timeoutMs = 2 * 60 * 1000;

/**
 * Runs `work` on a dedicated connection that holds the merchant's advisory lock. A new file replaces the other files of
 * its day, so two concurrent reconciliations would each delete the file of the other. The lock covers all days of a
 * merchant, because each day is compared with all files. It is a session lock instead of a transaction lock, because
 * the acquirer is called while it is held. Postgres releases it if the server crashes.
 */
export async function withReconciliationLock<Result>(
  database: Database,
  scope: Scope,
  work: (read: Sql) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect(session);
  try {
    const read = bindTag(client);
    // Polls the lock. A statement that blocks on it would time out before a long reconciliation ends.
    for (let waitedMs = 0; !(await tryReconciliationLock(read, scope)); waitedMs += lockRetryMs) {
      if (waitedMs >= timeoutMs) throw inProgress();
      await sleep(lockRetryMs);
    }
    return await work(read);
  } finally {
    await client.end();
  }
}

function inProgress(): ApiError {
  return new ApiError(
    "service_unavailable",
    "Another reconciliation of this account is in progress. Try again when it has ended.",
    { retryAfterSeconds: 30 },
  );
}
