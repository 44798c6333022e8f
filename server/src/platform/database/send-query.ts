import type pg from "pg";

/**
 * The client's time limit of a query. Postgres cancels a slow statement after 20 s, so when a query takes longer than
 * this limit, Postgres or the network hangs.
 */
export const queryTimeoutMs = 24_000;

/**
 * Sends one query with a time limit, without the driver's promises and its `query_timeout`. These would keep every
 * query and its parameters reachable after the response, long enough for V8 to promote them to the old generation of
 * the heap (docs/decisions/0030-database-queries-use-callbacks.md).
 */
export function sendQuery(
  client: pg.ClientBase,
  query: pg.QueryConfig | pg.Submittable,
  timeoutMs = queryTimeoutMs,
): Promise<pg.QueryResult> {
  const timer = setTimeout(destroyConnection, timeoutMs, client);
  return new Promise((resolve, reject) => {
    // The driver accepts both kinds of query in this method. Its types omit that.
    client.query(query as pg.QueryConfig, (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/**
 * Destroys the connection. The waiting query fails as on a lost connection, and the pool or the batch writer
 * reconnects.
 */
function destroyConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
