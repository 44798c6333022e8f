import type pg from "pg";
import { DatabaseClient } from "./database-client.ts";
import { sendQuery } from "./send-query.ts";
import { StartupError } from "./startup-error.ts";

/**
 * The number of attempts to detect a pooler. Under load, both statements of an attempt can run on the same backend by
 * chance.
 */
const attempts = 5;
const timeoutMs = 2_000;

/**
 * Rejects a connection pooler that assigns a backend per transaction, such as pgBouncer in transaction mode. Florin
 * keeps advisory locks, prepared statements and notifications in its sessions, and such a pooler silently loses them.
 *
 * The check runs two statements on one connection, and another connection takes the first statement's backend in
 * between. With such a pooler, the second statement then runs on a different backend.
 *
 * @throws StartupError when the two statements run on different backends, or when the second one gets no backend.
 */
export async function assertSessionPooling(options: pg.ClientConfig): Promise<void> {
  const clients = [connection(options), connection(options)] as const;
  try {
    for (const client of clients) await client.connect();
    const [first, other] = clients;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = await backendOf(first);
      await sendQuery(other, { text: "begin" }, timeoutMs);
      await backendOf(other);
      // With a pool of one backend, this statement would wait for the end of the other transaction.
      const after = await backendOf(first).catch(() => null);
      if (after !== before) throw transactionPooling();
      await sendQuery(other, { text: "rollback" }, timeoutMs);
    }
  } finally {
    for (const client of clients) client.end().catch(() => undefined);
  }
}

function connection(options: pg.ClientConfig): pg.Client {
  const client = new DatabaseClient({ ...options, application_name: "florin start" });
  client.on("error", () => undefined);
  return client;
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await sendQuery(client, { text: "select pg_backend_pid() as pid" }, timeoutMs);
  return (rows[0] as { pid: number }).pid;
}

function transactionPooling(): StartupError {
  return new StartupError(
    "DATABASE_URL leads to a connection pooler in transaction mode, which would lose Florin's locks and notifications. " +
      "Set pool_mode = session in pgBouncer, or connect Florin directly to Postgres.",
  );
}
