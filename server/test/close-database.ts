import pg from "pg";

/** Closes every connection to a database and rejects new ones. Returns a function that allows connections again. */
export async function closeDatabase(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const administrator = new pg.Client({ connectionString: String(new URL("/postgres", url)) });
  await administrator.connect();
  await administrator.query(`alter database ${name} allow_connections false`);
  await administrator.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
    [name],
  );
  return async () => {
    await administrator.query(`alter database ${name} allow_connections true`);
    await administrator.end();
  };
}
