import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { createTestDatabase, type TestDatabase, urlOfDatabase } from "../../../test/database.ts";
import { until } from "../../../test/until.ts";
import { connectDatabase } from "./database.ts";
import {
  assertSupported,
  explainUnmigrated,
  migrate,
  minPostgresVersion,
  missingMigrations,
  readMigrations,
} from "./migrate.ts";
import { recordRestore } from "./record-restore.ts";

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

test("a Postgres or an encoding that Florin does not support is rejected with the fix", async () => {
  const settings = { version: "15.18", number: 150_018, encoding: "UTF8" };
  assert.throws(() => assertSupported(settings), /has version 15\.18\. .* Upgrade Postgres\.$/);
  assert.doesNotThrow(() => assertSupported({ ...settings, number: minPostgresVersion }));

  const name = `${new URL(testDatabase.url).pathname.slice(1)}_ascii`;
  const options = "template template0 encoding 'SQL_ASCII' locale 'C'";
  await query(testDatabase.url, `create database ${name} ${options}`);
  try {
    await assert.rejects(
      migrate(urlOfDatabase(testDatabase.url, name)),
      /^StartupError: The database in DATABASE_URL has the encoding SQL_ASCII\. .* encoding 'UTF8'$/,
    );
  } finally {
    await query(testDatabase.url, `drop database ${name} with (force)`);
  }
});

test("a statement that fails in a database without migrations is explained", async () => {
  await withEmptyDatabase(async (url) => {
    const database = connectDatabase({ url, poolSize: 1, onIdleError: () => undefined });
    const explain = async () => {
      const failed = await database.read`select from missing`.catch((error: unknown) => error);
      return (await explainUnmigrated(database.read, failed)) as Error;
    };
    try {
      assert.match((await explain()).message, /^The database has no tables of Florin\. /);
      const [first, second] = await readMigrations();
      assert(first && second);
      await mkdir(join(directory, "first"));
      await writeFile(join(directory, "first", first.name), first.sql);
      await migrate(url, { directory: join(directory, "first") });
      assert.ok((await explain()).message.includes(`lacks the migration ${second.name} of`));
      await migrate(url);
      assert.match((await explain()).message, /^relation "missing" does not exist$/);
    } finally {
      await database.close();
    }
  });
});

test("a restore is recorded in a database without the table of restores, and an upgrade keeps the record", async () => {
  await withEmptyDatabase(async (url, client) => {
    const restore = { restoredAt: new Date(2_000), restoredTo: new Date(1_000) };
    await recordRestore(url, restore);
    await migrate(url);
    const { rows } = await client.query("select restored_at, restored_to from restores");
    assert.deepEqual(rows, [{ restored_at: restore.restoredAt, restored_to: restore.restoredTo }]);
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
    await assert.rejects(
      migrate(url, { directory: broken }),
      /9999_broken\.sql failed and was rolled back/,
    );
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
    migrate(testDatabase.url, { directory: changed }),
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

/** Writes a sequence of migrations after the base table, and returns their directory. */
async function migrationsOf(name: string, ...files: readonly string[]): Promise<string> {
  const place = join(directory, name);
  await mkdir(place, { recursive: true });
  for (const [index, sql] of files.entries()) {
    await writeFile(join(place, `000${index + 1}_step.sql`), sql);
  }
  return place;
}

const base = `
  create table orders (id bigint primary key, amount bigint not null);
  insert into orders select id, id from generate_series(1, 2500) as id;`;

test("an interrupted migration is rolled back and its statement canceled, and the next start continues", async () => {
  const slow = await migrationsOf(
    "interrupted",
    base,
    "alter table orders add column slow bigint; select pg_sleep(600);",
  );
  const mended = await migrationsOf(
    "continued",
    base,
    "alter table orders add column slow bigint;",
  );
  await withEmptyDatabase(async (url, client) => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const migrating = migrate(url, {
      directory: slow,
      signal: stopping.signal,
      log: (line) => lines.push(line),
    });
    const isSleeping = async (): Promise<boolean> => {
      const { rows } = await client.query(`
        select from pg_stat_activity
         where datname = current_database() and wait_event = 'PgSleep'`);
      return rows.length === 1;
    };
    const rejected = assert.rejects(migrating, /^Error: stopped$/);
    await until(isSleeping, (sleeping) => sleeping);
    stopping.abort(new Error("stopped"));
    await rejected;
    assert.deepEqual(lines, [
      "The migrations of the database were interrupted after 0001_step.sql. The next start applies the others.",
    ]);
    await until(isSleeping, (sleeping) => !sleeping);
    assert.deepEqual(await migrate(url, { directory: mended }), ["0002_step.sql"]);
  });
});

test("a backfill commits batch by batch until no row is left", async () => {
  const place = await migrationsOf(
    "backfill",
    base,
    "alter table orders add column doubled bigint;",
    `-- florin: backfill
     update orders set doubled = amount * 2
      where id in (select id from orders where doubled is null order by id limit 1000);`,
  );
  await withEmptyDatabase(async (url, client) => {
    assert.equal((await migrate(url, { directory: place })).length, 3);
    const { rows } = await client.query(`
      select count(*)::int as done, count(distinct xmin::text)::int as transactions from orders
       where doubled = amount * 2`);
    assert.deepEqual(rows, [{ done: 2500, transactions: 3 }]);
  });
});

test("a backfill ends although the previous version inserts rows between its batches", async () => {
  const inserting = `
    create sequence next_order start 2501;
    create function insert_order() returns trigger language plpgsql as $$
    begin
      insert into orders (id, amount) values (nextval('next_order'), 1); return null;
    end $$;
    create trigger inserts after update on orders for each statement execute function insert_order();`;
  const place = await migrationsOf(
    "endless",
    `${base} alter table orders add column doubled bigint; ${inserting}`,
    `-- florin: backfill
     update orders set doubled = amount * 2
      where id in (select id from orders where doubled is null order by id limit 1000);`,
  );
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: place });
    const { rows } = await client.query(
      "select count(doubled)::int as done, count(*)::int as all from orders",
    );
    // The third batch is not full and ends the backfill. It includes the rows that the triggers inserted during the
    // first two batches.
    assert.deepEqual(rows, [{ done: 2502, all: 2503 }]);
  });
});

test("a batch of a backfill that takes too long is canceled and divided, and later batches grow again", async () => {
  // The first two attempts take too long: the batch of two rows, and then the batch of one row, which cannot be
  // divided.
  const slow = `
    create sequence attempts;
    create function wait() returns trigger language plpgsql as $$
    begin
      if nextval('attempts') <= 2 then perform pg_sleep(2); end if; return new;
    end $$;
    create trigger waits before update on orders for each row execute function wait();`;
  const place = await migrationsOf(
    "slow",
    `${base} alter table orders add column doubled bigint; ${slow}`,
    `-- florin: backfill
     update orders set doubled = amount * 2
      where id in (select id from orders where doubled is null and id <= 20 order by id limit 2);`,
  );
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: place });
    const { rows } = await client.query(`
      with batches as (
        select min(id)::int as first, count(*)::int as size from orders where doubled is not null group by xmin::text)
      select sum(size)::int as done, min(size) filter (where first = 1) as divided, max(size) as grown from batches`);
    assert.deepEqual(rows, [{ done: 20, divided: 1, grown: 2 }]);
  });
});

test("servers that start together build an index concurrently, and replace one that a crash left invalid", async () => {
  const index = `-- florin: statements
    create index concurrently if not exists orders_by_amount on orders (amount);`;
  const before = await migrationsOf("before-index", base);
  const place = await migrationsOf("index", base, index);
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: before });
    await client.query("create index orders_by_amount on orders (amount)");
    await client.query(
      "update pg_index set indisvalid = false where indexrelid = 'orders_by_amount'::regclass",
    );
    const applied = await Promise.all([
      migrate(url, { directory: place }),
      migrate(url, { directory: place }),
    ]);
    assert.deepEqual(applied.flat(), ["0002_step.sql"]);
    const { rows } = await client.query(
      "select indisvalid from pg_index where indexrelid = 'orders_by_amount'::regclass",
    );
    assert.deepEqual(rows, [{ indisvalid: true }]);
  });
});

const partitioned = `
  create table items (id bigint primary key, amount bigint not null) partition by range (id);
  create table items_1 partition of items for values from (-9) to (1000);
  create table items_default partition of items default;
  insert into items select id, id from generate_series(1, 2500) as id;`;

test("an index of a partitioned table is built during writes, even after a crash, and can be dropped", async () => {
  const create = `-- florin: statements
    create index concurrently if not exists items_by_amount on items (amount) where amount > 1;`;
  const drop = "-- florin: statements\ndrop index concurrently if exists items_by_amount;";
  const before = await migrationsOf("before-partitioned", partitioned);
  const place = await migrationsOf("partitioned", partitioned, create);
  const after = await migrationsOf("after-partitioned", partitioned, create, drop);
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: before });
    // The state after a crash: the index on the parent exists, and the index on a partition is invalid.
    await client.query(`
      create index items_by_amount on only items (amount) where amount > 1;
      create index items_1_by_amount on items_1 (amount) where amount > 1;
      update pg_index set indisvalid = false where indexrelid = 'items_1_by_amount'::regclass`);
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    try {
      // The migration can drop the index that the crash left only after this transaction has ended.
      await client.query("begin; insert into items_1 values (-1, 5)");
      const migrated = migrate(url, { directory: place });
      const waiting =
        "select from pg_stat_activity where query ~ '^drop index concurrently' and wait_event_type = 'Lock'";
      await until(
        async () => (await writer.query(waiting)).rowCount,
        (count) => count === 1,
      );
      await writer.query("insert into items values (0, 7), (3000, 7)");
      await writer.query(`
        create table items_2 (like items including all);
        alter table items attach partition items_2 for values from (5000) to (6000)`);
      await client.query("commit");
      await migrated;
    } finally {
      await writer.end();
    }
    const { rows } = await client.query(`
      select x.indrelid::regclass::text as table, x.indisvalid as valid
        from pg_index x left join pg_inherits i on i.inhrelid = x.indexrelid
       where 'items_by_amount'::regclass in (x.indexrelid, i.inhparent) order by 1`);
    assert.deepEqual(
      rows,
      ["items", "items_1", "items_2", "items_default"].map((table) => ({ table, valid: true })),
    );
    assert.deepEqual(await migrate(url, { directory: after }), ["0003_step.sql"]);
    const left = await client.query("select from pg_class where relname ~ '^items.*by_amount'");
    assert.equal(left.rowCount, 0);
  });
});

/** Reads the waiting locks on the table. The view also contains the locks of the databases of other tests. */
const waitingLocks = `
  select mode
    from pg_locks
   where not granted and relation = 'orders'::regclass
     and database = (select oid from pg_database where datname = current_database())`;

test("a migration that waits for its lock lets other statements pass, and succeeds after the lock is free", async () => {
  const before = await migrationsOf("before-lock", base);
  const place = await migrationsOf("lock", base, "alter table orders add column note text;");
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: before });
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    try {
      await client.query("begin; select from orders limit 1");
      const migrated = migrate(url, { directory: place });
      // A process that waits for its turn to migrate polls, so the only waiting lock is the one on the table.
      await until(
        async () => (await reader.query(waitingLocks)).rowCount,
        (waiting) => waiting === 1,
      );
      // Waits behind the migration's lock request until that request times out. Without the timeout, it would wait for
      // the commit below, and never return.
      await reader.query("select count(*) from orders");
      await client.query("commit");
      assert.deepEqual(await migrated, ["0002_step.sql"]);
    } finally {
      await reader.end();
    }
  });
});

test("a migration that waits for a vacuum blocks neither reads nor writes", async () => {
  const before = await migrationsOf("before-vacuum", base);
  const place = await migrationsOf("vacuum", base, "alter table orders add column note text;");
  await withEmptyDatabase(async (url, client) => {
    await migrate(url, { directory: before });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      // The lock that a vacuum holds.
      await client.query("begin; lock table orders in share update exclusive mode");
      const migrated = migrate(url, { directory: place });
      const modes = await until(
        async () => (await other.query(waitingLocks)).rows,
        (rows) => rows.length > 0,
      );
      assert.deepEqual(modes, [{ mode: "ShareUpdateExclusiveLock" }]);
      await other.query("insert into orders (id, amount) values (0, 1)");
      await client.query("commit");
      assert.deepEqual(await migrated, ["0002_step.sql"]);
    } finally {
      await other.end();
    }
  });
});
