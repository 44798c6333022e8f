import type pg from "pg";

/** Postgres ends a slow statement itself, after 20 s; after this it is Postgres, or the way to it, that hangs. */
export const answerTimeoutMs = 24_000;

/**
 * Sends one query and waits for its answer, with a time limit of our own. The driver's promises, and its
 * `query_timeout`, keep every query and its parameters reachable beyond the answer, long enough for V8 to carry them into
 * the old part of the heap (docs/decisions/0030-queries-are-asked-with-a-callback.md).
 */
export function ask(
  client: pg.ClientBase,
  query: pg.QueryConfig | pg.Submittable,
  timeoutMs = answerTimeoutMs,
): Promise<pg.QueryResult> {
  const tooLate = setTimeout(hangUp, timeoutMs, client);
  return new Promise((resolve, reject) => {
    // Both kinds of query are given to the same method, which its types do not say.
    client.query(query as pg.QueryConfig, (error, result) => {
      clearTimeout(tooLate);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** Whoever waits hears that the connection was lost, and the pool or the batch writer opens another. */
function hangUp(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
