import pg from "pg";

/**
 * Closes every connection to a database and rejects new ones while `work` runs. Allows connections again afterwards,
 * even if the work fails.
 */
export async function whileDatabaseIsClosed(url: string, work: () => Promise<void>): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const administrator = new pg.Client({ connectionString: String(new URL("/postgres", url)) });
  await administrator.connect();
  try {
    await administrator.query(`alter database ${name} allow_connections false`);
    await administrator.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
      [name],
    );
    await work();
  } finally {
    await administrator.query(`alter database ${name} allow_connections true`);
    await administrator.end();
  }
}
