import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { createTestDatabase, type TestDatabase, urlOfDatabase } from "../../../test/database.ts";
import { migrate, missingMigrations, readMigrations } from "./migrate.ts";

let testDatabase: TestDatabase;
let directory: string;
before(async () => {
  testDatabase = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), "florin-migrate-"));
});
after(async () => {
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

/** Runs `work` on a temporary empty database, so that a test can apply its own sequence of migrations. */
async function withEmptyDatabase(work: (url: string, client: pg.Client) => Promise<void>) {
  const name = `${new URL(testDatabase.url).pathname.slice(1)}_empty`;
  await query(testDatabase.url, `create database ${name} template template0`);
  const url = urlOfDatabase(testDatabase.url, name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(url, client);
  } finally {
    await client.end();
    await query(testDatabase.url, `drop database ${name} with (force)`);
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

test("every migration is applied once, in order, and a second run finds nothing to do", async () => {
  const names = (await readMigrations()).map((migration) => migration.name);
  await withEmptyDatabase(async (url) => {
    assert.deepEqual(await migrate(url), names);
    assert.deepEqual(await migrate(url), []);
  });
});

test("no constraint or index has a generated name", async () => {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  const { rows } = await client
    .query(`
      select conname as name from pg_constraint
       where connamespace in ('public'::regnamespace, 'simulator'::regnamespace) and contype in ('c', 'u', 'f')
      union
      -- Postgres names the indexes of partitions.
      select c.relname from pg_class c
       where c.relnamespace in ('public'::regnamespace, 'simulator'::regnamespace)
         and c.relkind in ('i', 'I') and not c.relispartition`)
    .finally(() => client.end());
  assert.ok(rows.length > 100);
  const generated = rows.filter(({ name }) => /_(check|key|fkey|idx|excl)\d*$/.test(name));
  assert.deepEqual(generated, []);
});

test("servers that start together apply each migration once", async () => {
  const names = (await readMigrations()).map((migration) => migration.name);
  await withEmptyDatabase(async (url) => {
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
    assert.deepEqual(applied.flat(), names);
  });
});

test("a failed migration leaves no changes, and earlier ones remain", async () => {
  const broken = join(directory, "broken");
  await cp(join(import.meta.dirname, "migrations"), broken, { recursive: true });
  await writeFile(join(broken, "9999_broken.sql"), "create table half (id int); select nonsense;");
  await withEmptyDatabase(async (url, client) => {
    await assert.rejects(migrate(url, broken), /9999_broken\.sql failed and was rolled back/);
    const { rows } = await client.query(
      "select to_regclass('half') as half, to_regclass('accounts') as accounts",
    );
    assert.deepEqual(rows, [{ half: null, accounts: "accounts" }]);
    assert.deepEqual(await migrate(url), []);
  });
});

test("a migration that was changed after it was applied is rejected", async () => {
  const changed = join(directory, "changed");
  await cp(join(import.meta.dirname, "migrations"), changed, { recursive: true });
  await writeFile(join(changed, "0001_schema.sql"), "-- rewritten");
  await assert.rejects(
    migrate(testDatabase.url, changed),
    /0001_schema\.sql was changed after this database had applied it/,
  );
});

const one = { name: "0001_one.sql", sql: "", checksum: "a" };
const two = { name: "0002_two.sql", sql: "", checksum: "b" };

test("a database of a newer version is rejected", () => {
  assert.throws(
    () => missingMigrations([one], [one, two]),
    /newer version of Florin.*0002_two\.sql/,
  );
});

test("a migration inserted before an applied one is rejected", () => {
  assert.throws(() => missingMigrations([one, two], [two]), /0001_one\.sql was added before/);
});
