import pg from "pg";

/** Ends every connection to a database and lets nobody in, until the function that is answered opens it again. */
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
