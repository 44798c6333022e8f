import pg from "pg";
import { fairShare } from "../primitives/fair-share.ts";
import type { Owner } from "../primitives/owner.ts";
import { answerTimeoutMs, ask } from "./ask.ts";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";
import { type AuditContext, type Sql, type Statement, type Tx, tagOf } from "./sql.ts";
import { isDeadlock } from "./unavailable.ts";

/** Postgres as the service sees it: reads on any connection, writes only inside a transaction. */
export type Database = {
  /** Runs one statement that only reads. */
  readonly read: Sql;
  /**
   * Runs `work` in one transaction: everything it wrote is there, or nothing is. It is run again when Postgres undid it to
   * resolve a deadlock, so it must do nothing but ask the database.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * The same for what one merchant asks for, who has a quarter of the connections at most in each mode: where many requests
   * wait for one lock they wait here, and others are served.
   */
  transactionOf<Result>(owner: Owner, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** A connection of its own for a batch writer or a listener; the caller ends it. */
  connect(settings?: Record<string, string>): Promise<pg.Client>;
  /** Null when the database was opened without the audit log's key. */
  readonly audit: AuditContext | null;
  /** Connections for reads and ordinary transactions, and how many callers wait for one. */
  connections(): { readonly busy: number; readonly idle: number; readonly waited_for: number };
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
  /** A transaction is run again; who waited for whom stands in the error's `detail`. Often, it is a fault in an order of locks. */
  readonly onDeadlock?: (error: unknown) => void;
  /** Needed to write or verify audit entries. */
  readonly audit?: AuditContext;
  /** How long an answer may take before the connection is given up; longer than any statement may. */
  readonly answerWithinMs?: number;
};

const connectTimeoutMs = 3_000;

/** A statement that hangs must not outlive the request that waits for it (trust: 28 s for everything). */
const statementTimeoutMs = 20_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, onIdleError, onDeadlock, answerWithinMs = answerTimeoutMs } = options;
  const connection = connectionOptions(url);
  const pool = new pg.Pool({
    ...connection,
    Client: DatabaseClient,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: "florin",
  });
  // An idle connection that breaks (Postgres restarts) is not anybody's failed request; the pool replaces it.
  pool.on("error", onIdleError);
  // The pool listens only to idle connections. One that breaks while it is lent out, between two statements or in the
  // moment in which it is handed over, would end the whole process; its next statement fails, and that is enough.
  pool.on("connect", (client) => client.on("error", () => undefined));

  const share = fairShare(Math.max(1, Math.floor(poolSize / 4)));
  const transaction: Database["transaction"] = (work) =>
    pastDeadlocks(
      () =>
        runTransaction(pool, work, {
          audit: options.audit ?? noAuditContext,
          withinMs: answerWithinMs,
        }),
      onDeadlock,
    );

  return {
    read: tagOf((statement) => readOn(pool, statement, answerWithinMs)),
    transaction,
    transactionOf: ({ account, livemode }, work) =>
      share(`${account} ${livemode}`, () => transaction(work)),
    connect: async (settings = {}) => {
      const client = new DatabaseClient({
        ...connection,
        connectionTimeoutMillis: connectTimeoutMs,
        statement_timeout: statementTimeoutMs,
        application_name: "florin batch",
      });
      client.on("error", onIdleError);
      await client.connect();
      for (const [name, value] of Object.entries(settings)) {
        await ask(client, { text: "select set_config($1, $2, false)", values: [name, value] });
      }
      return client;
    },
    audit: options.audit ?? null,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waited_for: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

async function readOn(pool: pg.Pool, statement: Statement, withinMs: number): Promise<object[]> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    return (await ask(client, statement, withinMs)).rows;
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}

/** Times that a transaction is begun. Of those that wait for each other Postgres lets at least one go on. */
const mostBegins = 5;

async function pastDeadlocks<Result>(
  run: () => Promise<Result>,
  onDeadlock?: (error: unknown) => void,
): Promise<Result> {
  for (let begins = 1; ; begins++) {
    try {
      return await run();
    } catch (error) {
      if (begins === mostBegins || !isDeadlock(error)) throw error;
      onDeadlock?.(error);
    }
  }
}

/** A database that was opened without the key of the audit log cannot write to it. */
const noAuditContext: AuditContext = {
  mac: () => Promise.reject(new Error("This database was opened without the audit log's key")),
  copy: () => undefined,
};

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<Result>,
  { audit, withinMs }: { readonly audit: AuditContext; readonly withinMs: number },
): Promise<Result> {
  const client = await pool.connect();
  const committed: (() => void)[] = [];
  let broken: Error | undefined;
  const onBreak = (error: Error): void => {
    broken = error;
  };
  client.on("error", onBreak);
  try {
    await ask(client, { text: "begin" }, withinMs);
    const tag = tagOf(async (statement) => (await ask(client, statement, withinMs)).rows);
    const afterCommit = (task: () => void): void => void committed.push(task);
    const tx = Object.assign(tag, { audit, afterCommit }) as unknown as Tx;
    const result = await work(tx);
    await ask(client, { text: "commit" }, withinMs);
    for (const task of committed) task();
    return result;
  } catch (error) {
    // After a failed rollback the connection's state is unknown; it is thrown away instead of returned.
    await ask(client, { text: "rollback" }, withinMs).catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off("error", onBreak);
    client.release(broken);
  }
}
