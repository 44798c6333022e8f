import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { openShop } from "../shop.ts";

const shop = await openShop({ workers: false });
after(() => shop.close());

const ask = async (path: string) => {
  const { status, body } = await shop.send("GET", path);
  return [status, body.status ?? body.error.code];
};

test("a process is ready as long as it reaches its database, and lives all the while", async () => {
  assert.deepEqual(await ask("/livez"), [200, "live"]);
  assert.deepEqual(await ask("/readyz"), [200, "ready"]);

  const { pathname } = new URL(shop.settings.DATABASE_URL);
  const name = pathname.slice(1);
  const elsewhere = new URL("/postgres", shop.settings.DATABASE_URL);
  const administrator = new pg.Client({ connectionString: String(elsewhere) });
  await administrator.connect();
  after(() => administrator.end());
  await administrator.query(`alter database ${name} allow_connections false`);
  await administrator.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
    [name],
  );
  assert.deepEqual(await ask("/readyz"), [503, "service_unavailable"]);
  assert.deepEqual(await ask("/livez"), [200, "live"]);

  await administrator.query(`alter database ${name} allow_connections true`);
  assert.deepEqual(await ask("/readyz"), [200, "ready"]);
});
