import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { bindTag, type Sql } from "../database/sql.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { Owner } from "../primitives/owner.ts";
import { tryLockReconciliation } from "./reconciliation.sql.ts";

/** Whole days are joined here, for which some memory saves writing to disk. */
const session = { work_mem: "128MB", jit: "off" };

const askAgainMs = 200;

/** A day of a very busy merchant is fetched and compared in half a minute (docs/decisions/0017). */
const patienceMs = 2 * 60 * 1000;

/**
 * Reconciles for a merchant on a connection of its own, while no other server does. A better file takes the place of all
 * others of its day, so two that came in at once would each remove the other; and as every day is compared with
 * all files, one merchant's days wait for each other too. The lock is the connection's and not a transaction's, for
 * the acquirer is asked meanwhile; when the server dies, Postgres gives it back.
 */
export async function oneServerAtATime<Result>(
  database: Database,
  owner: Owner,
  work: (read: Sql) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect(session);
  try {
    const read = bindTag(client);
    // Asked again and again, because a statement that waits is ended before a long day is done.
    for (let waitedMs = 0; !(await tryLockReconciliation(read, owner)); waitedMs += askAgainMs) {
      if (waitedMs >= patienceMs) throw underWay();
      await sleep(askAgainMs);
    }
    return await work(read);
  } finally {
    await client.end();
  }
}

function underWay(): ApiError {
  return new ApiError(
    "service_unavailable",
    "Another reconciliation of yours is still under way. Read the list of reconciliations in a moment.",
    { retryAfterSeconds: 30 },
  );
}
