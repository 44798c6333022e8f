import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { DatabaseClient } from "./database-client.ts";
import { type Step, stepsOf } from "./partitioned-indexes.ts";
import { ReadOnlyServer } from "./prepare-session.ts";
import { findPrimaryOptions } from "./primary-locator.ts";
import { assertSessionPooling } from "./session-pooling.ts";
import type { Sql } from "./sql.ts";
import { StartupError, unreachable } from "./startup-error.ts";

/** One file of `migrations/`. Its checksum is stored, so that a change to an applied migration is detected. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/**
 * The form in which a migration is applied. Its first line states the form, such as `-- florin: backfill`, unless it is
 * one transaction.
 *
 * - `transaction`: the whole file and its record are one transaction. The transaction waits for each lock for at most
 *   half a second and is then repeated, so that no request waits longer behind the lock.
 * - `statements`: each statement commits separately, for `create index concurrently`. A repeated statement must have no
 *   effect, because all statements are executed again after a crash.
 * - `backfill`: the only statement changes a limited number of rows, and is repeated until it changes fewer. A
 *   statement that takes too long is repeated with a smaller limit.
 */
export type MigrationMode = "transaction" | "statements" | "backfill";

export function modeOf(sql: string): MigrationMode {
  const [, mode] = /^-- florin: (\S+)/.exec(sql) ?? [];
  if (mode === undefined) return "transaction";
  if (mode === "statements" || mode === "backfill") return mode;
  throw new Error(
    `The first line of a migration, '-- florin: ${mode}', names an unknown mode. Use 'statements' or 'backfill'.`,
  );
}

/** Splits a migration at each semicolon that ends a line. A dollar-quoted body must not contain such a semicolon. */
export function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

const ourMigrations = join(import.meta.dirname, "migrations");

/** The key of the advisory lock. Every version of Florin must use the same number. */
const migrationLock = 0x466c6f72; // "Flor"

/** The interval of messages while another process migrates the database. A migration of large tables can take hours. */
const lockLogMs = 10_000;

/** While a statement waits for its lock, all later requests on the table wait behind it. */
const lockTimeoutMs = 500;
/**
 * The time to wait until an autovacuum releases its lock. If another session waits for that lock, Postgres cancels the
 * autovacuum after a second (`deadlock_timeout`).
 */
const vacuumTimeoutMs = 10_000;
/** The pause between two attempts, in which the requests that waited finish. */
const retryPauseMs = 1_000;
/**
 * The number of attempts, which take about ten minutes. Then the migration fails, because another transaction still
 * holds a lock.
 */
const maxAttempts = 400;
/**
 * The time limit of a batch of a backfill, which locks its rows until it ends. A batch that takes longer is canceled,
 * and the next one is smaller. On an overloaded machine, Postgres canceled a batch 300 ms late, and no request may wait
 * for over a second.
 */
const batchTimeoutMs = 500;
/** The time for which a batch waits for the lock of a row. */
const batchLockTimeoutMs = batchTimeoutMs / 2;
/** If a full batch takes less than this time, the next batch is larger, up to the limit in the statement. */
const fastBatchMs = batchTimeoutMs / 4;
/** The pause between two batches of a backfill, which leaves time for requests and for replication. */
const batchPauseMs = 20;

const queryCanceled = "57014";
/** The errors after which a statement is repeated: `lock_not_available` and `deadlock_detected`. */
const retriedCodes: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);
/**
 * The errors after which a statement with a time limit is repeated. A batch of one row exceeds its time limit only
 * while the machine is overloaded.
 */
const retriedWithTimeLimit: ReadonlySet<unknown> = new Set([...retriedCodes, queryCanceled]);

type MigrateOptions = {
  /** The directory of the migrations. Only tests use another one. */
  readonly directory?: string;
  /** Interrupts the migrations. The next call applies the rest. */
  readonly signal?: AbortSignal;
  /** Called with messages about long waits and interruptions. */
  readonly log?: (line: string) => void;
};

/** The maximum time after which Postgres cancels the statement of a stopped or killed process. */
const disconnectCheckMs = 1_000;

/**
 * Applies the missing migrations and returns their names. Servers that start at the same time wait for one another. The
 * servers of the previous version keep serving requests in the meantime (docs/decisions/0069-migrations-are-online.md).
 */
export async function migrate(
  url: string,
  { directory = ourMigrations, signal, log = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  signal?.throwIfAborted();
  const migrations = await readMigrations(directory);
  const primary = await findPrimaryOptions(url);
  const client = new DatabaseClient({
    ...primary,
    application_name: "florin migrate",
  });
  // The end of the connection, which interrupts a statement, is also emitted as an event.
  client.on("error", () => undefined);
  await client.connect().catch((error) => {
    throw unreachable(url, error) ?? error;
  });
  const applied: string[] = [];
  const interrupt = () => void client.end();
  signal?.addEventListener("abort", interrupt);
  try {
    signal?.throwIfAborted();
    const { rows } = await client.query("show transaction_read_only");
    if (rows[0].transaction_read_only === "on") throw unreachable(url, new ReadOnlyServer());
    assertSupported(await readServerSettings(client));
    await assertSessionPooling(primary);
    // Otherwise, a long statement of a stopped process would continue to run and hold the lock that the next process
    // needs. Some operating systems do not support the setting.
    await client
      .query(`set client_connection_check_interval = ${disconnectCheckMs}`)
      .catch(() => undefined);
    await takeLock(client, log);
    await applyMissing(client, migrations, applied);
    return applied;
  } catch (error) {
    if (!signal?.aborted) throw error;
    log(
      applied.length === 0
        ? "The start was interrupted before a migration of the database was completed. The next start applies the missing ones."
        : `The migrations of the database were interrupted after ${applied.at(-1)}. The next start applies the others.`,
    );
    throw signal.reason;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    // The end of the session releases the lock, even after a failed migration.
    await client.end();
  }
}

/** The oldest supported version of Postgres, as in `server_version_num`. */
export const minPostgresVersion = 170_000;

/** The settings of a server that `assertSupported` checks. */
type ServerSettings = {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
};

async function readServerSettings(client: pg.ClientBase): Promise<ServerSettings> {
  const { rows } = await client.query<ServerSettings>(`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
           current_setting('server_encoding') as encoding
  `);
  return rows[0] as ServerSettings;
}

/** Rejects a database on which the first migration would fail. */
export function assertSupported({ version, number, encoding }: ServerSettings): void {
  if (number < minPostgresVersion) {
    throw new StartupError(
      `The Postgres server in DATABASE_URL has version ${version}. Florin needs Postgres 17 or newer. Upgrade Postgres.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new StartupError(
      `The database in DATABASE_URL has the encoding ${encoding}. Florin needs UTF8. Create the database again: ` +
        "create database florin owner florin template template0 encoding 'UTF8'",
    );
  }
}

/** A missing table, column or function. */
const missingObjectCodes: ReadonlySet<unknown> = new Set(["42P01", "42703", "42883"]);

/**
 * Returns a StartupError if a statement failed because the database lacks migrations, and otherwise the error itself. A
 * command can run on a new database, or after an installation and before the service is restarted.
 */
export async function explainUnmigrated(read: Sql, error: unknown): Promise<unknown> {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (!missingObjectCodes.has(code)) return error;
  const allMissing = await readMissingMigrations(read);
  if (!allMissing) {
    return new StartupError(
      "The database has no tables of Florin. If the database is new, start Florin, which creates the tables. Otherwise, correct DATABASE_URL or FLORIN_DATA.",
      { cause: error },
    );
  }
  const [missing] = allMissing;
  if (!missing) return error;
  return new StartupError(
    `The database lacks the migration ${missing.name} of this version of Florin. Restart Florin, which applies the migration.`,
    { cause: error },
  );
}

/**
 * Returns the migrations that the database lacks, or null if it has no tables of Florin. Rejects a database that this
 * version cannot migrate, because a newer version has migrated it or a migration differs.
 */
export async function readMissingMigrations(read: Sql): Promise<Migration[] | null> {
  const [found] = await read<{ exists: boolean }>`
    select to_regclass('migrations') is not null as exists
  `;
  if (!found?.exists) return null;
  const applied = await read<{ name: string; checksum: string }>`
    select name, checksum from migrations order by name
  `;
  return missingMigrations(await readMigrations(), applied);
}

export async function readMigrations(directory: string = ourMigrations): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Applies the missing migrations, and adds the name of each to `done`. */
async function applyMissing(
  client: pg.Client,
  migrations: Migration[],
  done: string[],
): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      name        text primary key,
      checksum    text not null,
      applied_at  timestamptz not null default now()
    )
  `);
  const { rows: applied } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from migrations order by name",
  );
  const missing = missingMigrations(migrations, applied);
  for (const migration of missing) {
    await apply(client, migration);
    done.push(migration.name);
  }
}

/**
 * Returns the migrations to apply. Rejects a database unless its applied migrations are the first migrations of the
 * list.
 */
export function missingMigrations(
  migrations: readonly Migration[],
  applied: readonly { readonly name: string; readonly checksum: string }[],
): Migration[] {
  for (const [index, { name, checksum }] of applied.entries()) {
    const known = migrations.find((migration) => migration.name === name);
    if (!known) {
      throw new StartupError(
        `A newer version of Florin has migrated the database: this version does not contain the migration ${name}. ` +
          "Start the newer version, or restore a backup from before the upgrade.",
      );
    }
    if (known.checksum !== checksum) {
      throw new StartupError(
        `The migration ${name} was changed after this database had applied it. Start the version of Florin that created the ` +
          "database. If you do not need its data, set FLORIN_DATA or DATABASE_URL to a new database instead.",
      );
    }
    if (migrations[index] !== known) {
      throw new StartupError(
        `The migration ${migrations[index]?.name} was added before ${name}, which this database has ` +
          "already applied. Give the new migration the next number.",
      );
    }
  }
  return migrations.slice(applied.length);
}

/**
 * Takes the advisory lock by polling. A statement that waits in Postgres has a snapshot, and `create index
 * concurrently` of the process that holds the lock would wait for that snapshot forever.
 */
async function takeLock(client: pg.Client, log: (line: string) => void): Promise<void> {
  let nextLogAt = performance.now() + lockLogMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1) as taken",
      [migrationLock],
    );
    if (rows[0]?.taken) return;
    if (performance.now() > nextLogAt) {
      log(
        "Another process is migrating the database. This process waits until it has finished. In pg_stat_activity, its application_name is 'florin migrate'.",
      );
      nextLogAt += lockLogMs;
    }
    await sleep(100);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  switch (modeOf(migration.sql)) {
    case "transaction":
      return withRetries(migration, () => applyInTransaction(client, migration));
    case "statements":
      return applyStatements(client, migration);
    case "backfill":
      return applyBackfill(client, migration);
  }
}

async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await lockOutVacuum(client, migration);
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await client.query(migration.sql);
    await record(client, migration);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    if (retriedCodes.has((error as { code?: unknown }).code)) throw error;
    throw new Error(`The migration ${migration.name} failed and was rolled back.`, {
      cause: error,
    });
  }
}

/**
 * Locks each table that the migration alters, in a mode that conflicts with a vacuum but not with reads and writes. No
 * request waits behind this lock. Without it, the migration would fail while a large table is vacuumed, because
 * `lockTimeoutMs` is too short for Postgres to cancel an autovacuum.
 */
async function lockOutVacuum(client: pg.Client, { sql }: Migration): Promise<void> {
  await client.query(`set local lock_timeout = ${vacuumTimeoutMs}`);
  for (const statement of statementsOf(sql)) {
    const [, table] = /^alter table (?:if exists )?(?:only )?([\w.]+)/i.exec(statement) ?? [];
    if (table === undefined) continue;
    const { rows } = await client.query("select to_regclass($1) as table", [table]);
    // The migration itself may create the table.
    if (rows[0].table === null) continue;
    await client.query(`lock table ${table} in share update exclusive mode`);
  }
}

async function applyStatements(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of statementsOf(migration.sql)) {
    for await (const step of stepsOf(client, statement)) {
      await withRetries(migration, () => applyStep(client, migration, step), retriedCodesOf(step));
    }
  }
  await record(client, migration);
}

async function applyStep(
  client: pg.Client,
  migration: Migration,
  { text, waits, builds }: Step,
): Promise<void> {
  if (builds !== null) await dropInvalidIndex(client, builds);
  await client.query(`set lock_timeout = ${waits === "unlimited" ? 0 : lockTimeoutMs}`);
  if (waits === "several locks") await client.query(`set statement_timeout = ${lockTimeoutMs}`);
  try {
    await client.query(text);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (retriedCodesOf({ waits }).has(code)) throw error;
    throw new Error(
      `The migration ${migration.name} failed. Its earlier statements remain. Start the service again to continue.`,
      { cause: error },
    );
  } finally {
    await client.query("reset statement_timeout");
  }
}

function retriedCodesOf({ waits }: Pick<Step, "waits">): ReadonlySet<unknown> {
  return waits === "several locks" ? retriedWithTimeLimit : retriedCodes;
}

/** Drops an index that an interrupted `create index concurrently` has left. `if not exists` would keep it. */
async function dropInvalidIndex(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query(
    "select from pg_index where indexrelid = to_regclass($1) and not indisvalid",
    [index],
  );
  if (rows.length > 0) await client.query(`drop index concurrently ${index}`);
}

async function applyBackfill(client: pg.Client, migration: Migration): Promise<void> {
  const [statement = "", ...more] = statementsOf(migration.sql);
  if (more.length > 0) throw new Error(`The backfill ${migration.name} must be one statement.`);
  const [, limit] = /\blimit (\d+)/i.exec(statement) ?? [];
  if (limit === undefined) throw new Error(`The backfill ${migration.name} must have a limit.`);
  await client.query(`set lock_timeout = ${batchLockTimeoutMs}`);
  await client.query(`set statement_timeout = ${batchTimeoutMs}`);
  const maxSize = Number(limit);
  // The backfill ends with the first batch that is not full. It does not wait for a batch without changes, which might
  // never occur, because the previous version may still insert rows that the statement changes.
  for (let size = maxSize; ; await sleep(batchPauseMs)) {
    const batch = statement.replace(/\blimit \d+/i, `limit ${size}`);
    const startedAt = performance.now();
    const change = () => changeRows(client, batch, size > 1);
    const changed = await withRetries(migration, change, retriedWithTimeLimit);
    if (changed === null) size = Math.ceil(size / 2);
    else if (changed < size) break;
    else if (performance.now() - startedAt < fastBatchMs) size = Math.min(maxSize, 2 * size);
  }
  await client.query("reset statement_timeout");
  await record(client, migration);
}

/** Runs a batch of a backfill. Returns the number of changed rows, or null if it was canceled and can be divided. */
async function changeRows(
  client: pg.Client,
  batch: string,
  isDivisible: boolean,
): Promise<number | null> {
  try {
    return (await client.query(batch)).rowCount ?? 0;
  } catch (error) {
    if (isDivisible && (error as { code?: unknown }).code === queryCanceled) return null;
    throw error;
  }
}

/** Repeats the work until it gets its locks, which another transaction may hold. */
async function withRetries<Result>(
  { name }: Migration,
  work: () => Promise<Result>,
  codes = retriedCodes,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!codes.has((error as { code?: unknown }).code)) throw error;
      if (attempt === maxAttempts) {
        throw new StartupError(
          `The migration ${name} did not get its lock in ${maxAttempts} attempts. Another transaction holds it, or the machine is overloaded. ` +
            "Find the transaction in pg_stat_activity, end it, and start the service again.",
          { cause: error },
        );
      }
      await sleep(retryPauseMs);
    }
  }
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query("insert into migrations (name, checksum) values ($1, $2)", [name, checksum]);
}
