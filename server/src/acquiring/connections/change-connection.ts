import { ApiError, noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import type { ConnectionId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { countActiveAssignments } from "./assignment.sql.ts";
import {
  lockConnection,
  readConnection,
  rotateSecrets,
  type StoredConnection,
  updateConnection,
} from "./connection.sql.ts";
import {
  type Connection,
  type ConnectionUse,
  isFirstNotification,
  retire,
  suspend,
  withNotification,
} from "./connection.ts";

/** Returns the connection. Throws an error if its version is not the one that the operator saw. */
export async function readSeenVersion(
  read: Sql,
  id: ConnectionId,
  version: number,
): Promise<StoredConnection> {
  const stored = await readConnection(read, id);
  if (!stored) throw noSuch("connection", id);
  if (stored.connection.version !== version) throw changedSince("connection");
  return stored;
}

/**
 * Applies a change to the connection. Throws an error if the connection has changed since the operator saw it. Returns
 * the connection before and after the change.
 */
export async function changeConnection(
  tx: Tx,
  id: ConnectionId,
  version: number,
  change: (connection: Connection) => Connection,
): Promise<{ before: Connection; after: Connection }> {
  const { connection: before } = await readSeenVersion(tx, id, version);
  const after = change(before);
  if (!(await updateConnection(tx, version, after))) throw changedSince("connection");
  return { before, after: { ...after, version: version + 1 } };
}

/**
 * Retires a connection. Throws an error if it has active assignments, or if the acquirer still has to report something
 * about its payments. Locks the connection before it counts the assignments, because a concurrent request could
 * otherwise assign an account after the count.
 */
export async function retireConnection(
  tx: Tx,
  id: ConnectionId,
  version: number,
  readAwaited: (
    read: Sql,
    connection: Connection,
  ) => Promise<Omit<ConnectionUse, "activeAssignments">>,
): Promise<{ before: Connection; after: Connection }> {
  const locked = await lockConnection(tx, id);
  if (!locked) throw noSuch("connection", id);
  const use = {
    activeAssignments: await countActiveAssignments(tx, id),
    ...(await readAwaited(tx, locked.connection)),
  };
  return changeConnection(tx, id, version, (connection) => retire(connection, use));
}

/** Stores new secrets of the connection. The current secrets become the previous secrets. */
export async function storeSecrets(
  tx: Tx,
  version: number,
  connection: Connection,
  ciphertext: Buffer,
): Promise<void> {
  if (!(await rotateSecrets(tx, version, connection, ciphertext))) throw changedSince("connection");
}

type Versioned =
  | "connection"
  | "assignment"
  | "notification"
  | "list of routing rules"
  | "wallet configuration"
  | "wallet key";

export function changedSince(noun: Versioned): ApiError {
  return new ApiError(
    "resource_changed",
    `The ${noun} has changed since you loaded it. Reload it, then retry the change.`,
    { param: "version" },
  );
}

type ChangeDeps = { readonly database: Database; readonly clock: Clock };

/**
 * Records the first notification that was verified with the current secrets of the connection. Does nothing for later
 * notifications. Also does nothing if the connection has changed since it was read. In that case the next notification
 * is recorded.
 */
export async function recordFirstNotification(
  { database, clock }: ChangeDeps,
  connection: Connection,
): Promise<void> {
  if (!isFirstNotification(connection)) return;
  const seen = withNotification(connection, clock.now());
  await database.autocommit((tx) => updateConnection(tx, connection.version, seen));
}

/** The maximum number of attempts to suspend a connection that operators change concurrently. */
const maxAttempts = 3;

/**
 * Suspends a connection whose credentials the acquirer has rejected three times in a row. Does nothing if the
 * connection is no longer active, for example because another process has suspended it.
 */
export async function suspendForRejectedCredentials(
  { database, clock }: ChangeDeps,
  id: ConnectionId,
): Promise<void> {
  const reason = "The acquirer rejected the credentials of three requests in a row.";
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const isDone = await database.transaction(async (tx) => {
      const { connection } = (await readConnection(tx, id)) ?? {};
      if (connection?.state !== "active") return true;
      if (!(await updateConnection(tx, connection.version, suspend(connection, reason))))
        return false;
      const done = { account: null, livemode: null, action: "connection.suspended" } as const;
      const change = { before: { state: "active" }, after: { state: "suspended" }, reason };
      const actor = { kind: "service" } as const;
      await recordAuditEntry(tx, { ...done, actor, object: id, ...change }, clock);
      return true;
    });
    if (isDone) return;
  }
}
