import pg from "pg";
import { limitConcurrencyPerKey } from "../../core/limit-concurrency-per-key.ts";
import type { Scope } from "../../core/scope.ts";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";
import { parseTime } from "./parse-time.ts";
import { prepareSession } from "./prepare-session.ts";
import { createPrimaryLocator } from "./primary-locator.ts";
import { createReplica, type Replica } from "./replica.ts";
import { RowTextQuery } from "./row-text-query.ts";
import { queryTimeoutMs, sendQuery } from "./send-query.ts";
import {
  type AuditContext,
  type RowSql,
  rowTagOf,
  type Sql,
  type Statement,
  type Tx,
  tagOf,
} from "./sql.ts";
import { isDeadlock, isUnavailable } from "./unavailable.ts";

/** The service's access to Postgres: reads on any connection, and writes in transactions. */
export type Database = {
  /** Runs one statement that only reads. */
  readonly read: Sql;
  /**
   * Runs one statement that only reads, and converts its rows as they arrive. Use it for lists, downloads and figures.
   * Runs on the replica if there is one that has replayed every commit, and otherwise on the primary.
   */
  readonly readRows: RowSql;
  /**
   * Runs `work` in one transaction, which commits completely or not at all. The transaction is retried after a
   * deadlock, so `work` must have no effect outside the database.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Runs a transaction that consists of one statement. Omits BEGIN and COMMIT, so it takes one round trip instead of
   * three. The transaction is retried after a deadlock.
   *
   * @throws Error when `work` runs a second statement, which would not be atomic with the first.
   */
  autocommit<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Runs a transaction for one merchant. A merchant can use at most a quarter of the connections in each mode, and
   * further transactions wait. Requests that contend for one lock therefore leave connections for other merchants'
   * requests.
   */
  transactionOf<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Opens a dedicated connection for a batch writer or a listener. The caller ends it. */
  connect(settings?: Record<string, string>): Promise<pg.Client>;
  /** Null when the database was opened without the audit log's key. */
  readonly audit: AuditContext | null;
  /** Counts the connections for reads and ordinary transactions, and the callers that wait for a connection. */
  connections(): { readonly busy: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
};

// A bigint column is an amount or a count. Both stay below 2^53, because the API rejects larger numbers, so a number
// holds them exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTime);

export type DatabaseOptions = {
  readonly url: string;
  /** Connections for reads and ordinary transactions. Batch writers open additional ones. */
  readonly poolSize: number;
  readonly onIdleError: (error: Error) => void;
  /**
   * Called before a transaction is retried after a deadlock. The error's `detail` names the processes involved.
   * Frequent deadlocks mean that two code paths lock rows in different orders.
   */
  readonly onDeadlock?: (error: unknown) => void;
  /** Needed to write or verify audit entries. */
  readonly audit?: AuditContext;
  /** A standby that serves `readRows` while it has replayed every commit. */
  readonly replicaUrl?: string | null;
  /** Replaces the time limit of a read on the replica. For tests only. */
  readonly replicaReadTimeoutMs?: number;
  /** Time limit of a response, after which the connection is closed. Must exceed the statement timeout. */
  readonly responseTimeoutMs?: number;
};

/**
 * The driver closes idle connections after 10 s by default. A new connection plans its statements again, which takes 20
 * to 30 ms of CPU time.
 */
const idleTimeoutMs = 10 * 60_000;

export function connectDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, onIdleError, onDeadlock, responseTimeoutMs = queryTimeoutMs } = options;
  const locator = createPrimaryLocator(url);
  const connection = connectionOptions(url);
  class Client extends DatabaseClient {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...locator?.options() });
      locator?.add(this);
    }
  }
  const prepare = (client: pg.ClientBase, settings?: Readonly<Record<string, string>>) =>
    prepareSession(client, { acceptsStandby: false, settings });
  const pool = new pg.Pool({
    ...connection,
    Client,
    max: poolSize,
    idleTimeoutMillis: idleTimeoutMs,
    application_name: "florin",
    // Called with each new connection, before its first use.
    verify: (client, done) => void prepare(client).then(() => done(), done),
  });
  /** If a connection fails, for example after a failover, searches for the primary and connects again. */
  const connected = async <Client>(connect: () => Promise<Client>): Promise<Client> => {
    try {
      return await connect();
    } catch (error) {
      if (!locator || !isUnavailable(error)) throw error;
      await locator.locate();
      return await connect();
    }
  };
  const acquire: Acquire = () => connected(() => pool.connect());
  let isClosing = false;
  // `pool.end` returns before Postgres has closed the connections. If Postgres stops after that, it may break
  // connections that are still closing, and their errors are ignored.
  const onBreak = (error: Error): void => {
    if (!isClosing) onIdleError(error);
  };
  // When an idle connection breaks, for example because Postgres restarts, the pool replaces it and no request fails.
  pool.on("error", onBreak);
  // The pool handles errors of idle connections only. An error on a checked-out connection, between two statements or
  // during checkout, would be unhandled and end the process. Ignoring it is safe, because the next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));

  const read = tagOf((statement) => runOn(acquire, statement, responseTimeoutMs));
  const replica = options.replicaUrl
    ? connectReplica(options.replicaUrl, options, () => readPosition(read))
    : null;

  const limitPerMerchant = limitConcurrencyPerKey(Math.max(1, Math.floor(poolSize / 4)));
  const transaction: Database["transaction"] = (work) =>
    retryDeadlocks(
      () =>
        runTransaction(acquire, work, {
          audit: options.audit ?? noAuditContext,
          timeoutMs: responseTimeoutMs,
        }),
      onDeadlock,
    );

  return {
    read,
    readRows: rowTagOf(async (statement, convert) => {
      const onPrimary = async () => {
        const query = new RowTextQuery(statement, convert);
        await runOn(acquire, query, responseTimeoutMs);
        return query.results;
      };
      if (!replica) return onPrimary();
      return replica.read(async (client) => {
        const query = new RowTextQuery(statement, convert);
        await sendQuery(client, query, options.replicaReadTimeoutMs ?? replicaReadTimeoutMs);
        return query.results;
      }, onPrimary);
    }),
    transaction,
    autocommit: (work) =>
      retryDeadlocks(() => runStatement(acquire, work, responseTimeoutMs), onDeadlock),
    transactionOf: ({ account, livemode }, work) =>
      limitPerMerchant(`${account} ${livemode}`, () => transaction(work)),
    connect: (settings) =>
      connected(async () => {
        const client = new Client({
          ...connection,
          application_name: "florin batch",
        });
        client.on("error", onBreak);
        await client.connect();
        try {
          await prepare(client, settings);
        } catch (error) {
          client.end().catch(() => undefined);
          throw error;
        }
        return client;
      }),
    audit: options.audit ?? null,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      locator?.stop();
      await replica?.close();
      isClosing = true;
      await pool.end();
    },
  };
}

/** The time limit for connecting to the replica. The limit is short, because the primary can serve every read. */
const replicaConnectTimeoutMs = 1_000;

/**
 * The time limit of a read on the replica, after which the primary serves the read. A replica that stops responding
 * during a read would otherwise delay it by `queryTimeoutMs`.
 */
const replicaReadTimeoutMs = 5_000;

function connectReplica(
  url: string,
  { poolSize, onIdleError }: DatabaseOptions,
  position: () => Promise<string>,
): Replica {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    Client: DatabaseClient,
    max: poolSize,
    connectionTimeoutMillis: replicaConnectTimeoutMs,
    application_name: "florin replica",
    verify: (client, done) =>
      void prepareSession(client, { acceptsStandby: true }).then(() => done(), done),
  });
  pool.on("error", onIdleError);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return createReplica(pool, position);
}

/** Returns the position of the primary's log. Every acknowledged commit is before this position. */
async function readPosition(read: Sql): Promise<string> {
  const [row] = await read<{ position: string }>`select pg_current_wal_lsn()::text as position`;
  return (row as { position: string }).position;
}

/** Takes a connection from the pool. */
type Acquire = () => Promise<pg.PoolClient>;

async function runOn(
  acquire: Acquire,
  statement: Statement | pg.Submittable,
  timeoutMs: number,
): Promise<object[]> {
  const client = await acquire();
  let failed: Error | undefined;
  try {
    return (await sendQuery(client, statement, timeoutMs)).rows;
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}

/** Attempts per transaction. Postgres aborts one transaction of each deadlock, so the others continue. */
const maxAttempts = 5;

async function retryDeadlocks<Result>(
  run: () => Promise<Result>,
  onDeadlock?: (error: unknown) => void,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
      onDeadlock?.(error);
    }
  }
}

/**
 * Rejects audit entries in `autocommit`, and in transactions if the database was opened without the audit log's key.
 */
const noAuditContext: AuditContext = {
  mac: () =>
    Promise.reject(new Error("an audit entry needs a transaction and the audit log's key")),
  copy: () => undefined,
};

async function runStatement<Result>(
  acquire: Acquire,
  work: (tx: Tx) => Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  let statements = 0;
  const committed: (() => void)[] = [];
  const tag = tagOf(async (statement) => {
    statements += 1;
    if (statements > 1) throw new Error("autocommit: a second statement needs a transaction");
    return await runOn(acquire, statement, timeoutMs);
  });
  const result = await work(asTx(tag, noAuditContext, committed));
  for (const task of committed) task();
  return result;
}

function asTx(tag: Sql, audit: AuditContext, committed: (() => void)[]): Tx {
  const afterCommit = (task: () => void): void => void committed.push(task);
  return Object.assign(tag, { audit, afterCommit }) as unknown as Tx;
}

async function runTransaction<Result>(
  acquire: Acquire,
  work: (tx: Tx) => Promise<Result>,
  { audit, timeoutMs }: { readonly audit: AuditContext; readonly timeoutMs: number },
): Promise<Result> {
  const client = await acquire();
  const committed: (() => void)[] = [];
  let broken: Error | undefined;
  const onBreak = (error: Error): void => {
    broken = error;
  };
  client.on("error", onBreak);
  try {
    await sendQuery(client, { text: "begin" }, timeoutMs);
    const tag = tagOf(async (statement) => (await sendQuery(client, statement, timeoutMs)).rows);
    const result = await work(asTx(tag, audit, committed));
    await sendQuery(client, { text: "commit" }, timeoutMs);
    for (const task of committed) task();
    return result;
  } catch (error) {
    // After a failed rollback the connection's state is unknown, so it is discarded instead of returned to the pool.
    await sendQuery(client, { text: "rollback" }, timeoutMs).catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    // After a failover, the connection may lead to a standby, on which a rollback still succeeds. The connection is
    // discarded, because the next transaction must use the primary.
    if (isUnavailable(error)) broken = error as Error;
    throw error;
  } finally {
    client.off("error", onBreak);
    client.release(broken);
  }
}
