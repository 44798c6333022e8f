import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseClient } from "./database-client.ts";
import { findPrimaryOptions } from "./primary-locator.ts";

/** A restore of the database. Everything that was acknowledged before `restoredTo` is in the database. */
export type Restore = { readonly restoredAt: Date; readonly restoredTo: Date };

const migration = join(import.meta.dirname, "migrations/0002_restores.sql");

/**
 * Records a restore, so that the service reconciles every day since `restoredTo`. Also creates the table, because a
 * backup can be from an older version.
 */
export async function recordRestore(
  url: string,
  { restoredAt, restoredTo }: Restore,
): Promise<void> {
  const client = new DatabaseClient({
    ...(await findPrimaryOptions(url)),
    application_name: "florin restore",
  });
  await client.connect();
  try {
    await client.query(await readFile(migration, "utf8"));
    await client.query(
      "insert into restores (restored_at, restored_to) values ($1, $2) on conflict do nothing",
      [restoredAt, restoredTo],
    );
  } finally {
    await client.end();
  }
}
