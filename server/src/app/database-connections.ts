/**
 * The number of database connections of a server process in addition to its pool:
 *
 * - 11 for the batched writers and readers of payments: commits 5, reads 2, idempotency keys 2, the simulator 2
 * - 2 for acquirer notifications
 * - 3 for the webhook worker
 * - 1 each for the process number and the change feed
 */
const dedicatedConnections = 18;

/** The pool size of the primary process if the service has several server processes. */
export const primaryPoolSize = 3;

/** Returns the maximum number of database connections that the service opens. */
export function maxDatabaseConnections({
  processes,
  databasePool,
}: {
  readonly processes: number;
  readonly databasePool: number;
}): number {
  const ofPrimary = processes === 1 ? 0 : primaryPoolSize;
  return processes * (databasePool + dedicatedConnections) + ofPrimary;
}
