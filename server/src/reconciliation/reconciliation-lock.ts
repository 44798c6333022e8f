import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../core/api-error.ts";
import type { Scope } from "../core/scope.ts";
import type { Database } from "../platform/database/database.ts";
import { bindTag, type Sql } from "../platform/database/sql.ts";
import { tryReconciliationLock } from "./reconciliation.sql.ts";

/** Joins whole days. More memory avoids temporary files. */
const session = { work_mem: "128MB", jit: "off" };

const lockRetryMs = 200;

/**
 * The longest wait for the lock. Fetching and comparing a very busy merchant's day takes half a minute
 * (docs/decisions/0017).
 */
const timeoutMs = 2 * 60 * 1000;

/**
 * Reconciles a merchant on a dedicated connection that holds a lock. A better file replaces all others of its day, so
 * two concurrent ones would each remove the other. Each day is compared with all files, so the lock covers all days of
 * a merchant. It belongs to the session instead of a transaction, because the acquirer is called while it is held.
 * Postgres releases it when the server crashes.
 */
export async function withReconciliationLock<Result>(
  database: Database,
  scope: Scope,
  work: (read: Sql) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect(session);
  try {
    const read = bindTag(client);
    // Polls the lock, because a blocked statement would time out before a long day is reconciled.
    for (let waitedMs = 0; !(await tryReconciliationLock(read, scope)); waitedMs += lockRetryMs) {
      if (waitedMs >= timeoutMs) throw underWay();
      await sleep(lockRetryMs);
    }
    return await work(read);
  } finally {
    await client.end();
  }
}

function underWay(): ApiError {
  return new ApiError(
    "service_unavailable",
    "Another reconciliation of this account is in progress. Read the list of reconciliations in a moment.",
    { retryAfterSeconds: 30 },
  );
}
