import type { Sql } from "./sql.ts";

/** Resolves when Postgres responds, and rejects when it does not. */
export async function reachesPostgres(read: Sql): Promise<void> {
  await read`select 1`;
}
