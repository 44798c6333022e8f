import pg from "pg";
import { bindTag, type Sql, type Tx } from "./sql.ts";

/** Postgres as the service sees it: reads on any connection, writes only inside a transaction. */
export type Database = {
  /** Runs one statement that only reads. */
  readonly read: Sql;
  /** Runs `work` in one transaction: everything it wrote is there, or nothing is. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** A connection of its own for a batch writer or a listener; the caller ends it. */
  connect(settings?: Record<string, string>): Promise<pg.Client>;
  close(): Promise<void>;
};

// A bigint column is money or a count, and both stay below 2^53 (the API refuses larger numbers), so a
// plain number carries them exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseOptions = {
  readonly url: string;
  /** Connections for reads and ordinary transactions. The batch writers bring their own. */
  readonly poolSize: number;
  readonly onIdleError: (error: Error) => void;
};

const connectTimeoutMs = 3_000;

/** A statement that hangs must not outlive the request that waits for it (trust: 28 s for everything). */
const statementTimeoutMs = 20_000;

/** Postgres ends a slow statement itself; after this it is Postgres, or the way to it, that hangs. */
const answerTimeoutMs = 24_000;

export function openDatabase({ url, poolSize, onIdleError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: "florin",
  });
  // An idle connection that breaks (Postgres restarts) is not anybody's failed request; the pool replaces it.
  pool.on("error", onIdleError);
  // The pool listens only to idle connections. One that breaks while it is lent out, between two statements or in the
  // moment in which it is handed over, would end the whole process; its next statement fails, and that is enough.
  pool.on("connect", (client) => client.on("error", () => undefined));

  return {
    read: bindTag(pool),
    transaction: (work) => runTransaction(pool, work),
    connect: async (settings = {}) => {
      const client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: connectTimeoutMs,
        statement_timeout: statementTimeoutMs,
        query_timeout: answerTimeoutMs,
        application_name: "florin batch",
      });
      client.on("error", onIdleError);
      await client.connect();
      for (const [name, value] of Object.entries(settings)) {
        await client.query("select set_config($1, $2, false)", [name, value]);
      }
      return client;
    },
    close: () => pool.end(),
  };
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onBreak = (error: Error): void => {
    broken = error;
  };
  client.on("error", onBreak);
  try {
    await client.query("begin");
    const result = await work(bindTag(client) as Tx);
    await client.query("commit");
    return result;
  } catch (error) {
    // After a failed rollback the connection's state is unknown; it is thrown away instead of returned.
    await client.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off("error", onBreak);
    client.release(broken);
  }
}
