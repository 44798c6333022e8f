import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { DatabaseClient } from "./database-client.ts";
import { ReadOnlyServer } from "./prepare-session.ts";
import { findPrimaryOptions } from "./primary-locator.ts";
import { assertSessionPooling } from "./session-pooling.ts";
import { StartupError, unreachable } from "./startup-error.ts";

/** One file of `migrations/`. Its checksum is stored, so that a change to an applied migration is detected. */
export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

const ourMigrations = join(import.meta.dirname, "migrations");

/** The key of the advisory lock. Every version of Florin must use the same number. */
const migrationLock = 0x466c6f72; // "Flor"

/**
 * Applies the missing migrations and returns their names. Servers that start at the same time wait for one another.
 * Each migration and its record are one transaction.
 */
export async function migrate(url: string, directory: string = ourMigrations): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const primary = await findPrimaryOptions(url);
  const client = new DatabaseClient({
    ...primary,
    application_name: "florin migrate",
  });
  await client.connect().catch((error) => {
    throw unreachable(url, error) ?? error;
  });
  try {
    const { rows } = await client.query("show transaction_read_only");
    if (rows[0].transaction_read_only === "on") throw unreachable(url, new ReadOnlyServer());
    await assertSessionPooling(primary);
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    return await applyMissing(client, migrations);
  } finally {
    // The end of the session releases the lock, also after a failed migration.
    await client.end();
  }
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

async function applyMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
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
  for (const migration of missing) await apply(client, migration);
  return missing.map((migration) => migration.name);
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

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(sql);
    await client.query("insert into migrations (name, checksum) values ($1, $2)", [name, checksum]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`The migration ${name} failed and was rolled back.`, { cause: error });
  }
}
