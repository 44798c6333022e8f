import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../../test/database.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import { connectDatabase } from "../database/database.ts";
import { fragment } from "../database/sql.ts";
import { claimDue, type Queue } from "./claim-due.sql.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const clock = { time: new Date("2026-05-15T12:00:00Z"), now: () => clock.time };
const queue: Queue = {
  table: fragment`work`,
  key: fragment`id`,
  dueAt: fragment`due_at`,
  waits: fragment`not done`,
  alsoSets: fragment`, claims = claims + 1`,
};

await database.transaction(async (tx) => {
  await tx`create table work (
    id integer primary key, account_id uuid default gen_random_uuid(), due_at timestamptz, done boolean,
    claims integer default 0
  )`;
});

/** Fills the table with due rows whose due times are one second apart. The row with the lowest id became due last. */
async function fill(length: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`delete from work`;
    await tx`
      insert into work (id, due_at, done)
      select n, ${clock.time}::timestamptz - make_interval(secs => n), false from generate_series(1, ${length}::integer) n`;
  });
}

async function claim(limit: number, exceptAccounts: AccountId[] = []): Promise<number[]> {
  const columns = fragment`id`;
  const rows = await claimDue<{ id: number }>({ database, clock }, queue, {
    columns,
    leaseMs: 60_000,
    limit,
    except: { column: fragment`account_id`, uuids: exceptAccounts.map(uuidOf) },
  });
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

test("rows that have been due longest are claimed first, and none is claimed again before its lease expires", async () => {
  await fill(3);
  assert.deepEqual(await claim(2), [2, 3]);
  assert.deepEqual(await claim(2), [1]);
  assert.deepEqual(await claim(2), []);
  clock.time = new Date(clock.time.getTime() + 60_000);
  assert.deepEqual(await claim(9), [1, 2, 3]);
  const [row] = await database.read<{ claims: number }>`select claims from work where id = 1`;
  assert.equal(row?.claims, 2);
});

test("rows in a final state and rows that are not due are not claimed", async () => {
  await fill(3);
  await database.transaction(async (tx) => {
    await tx`update work set done = true where id = 1`;
    await tx`update work set due_at = ${clock.time}::timestamptz + interval '1 second' where id = 2`;
  });
  assert.deepEqual(await claim(9), [3]);
});

test("rows with excluded values are left to later claims", async () => {
  await fill(3);
  const busy = newId("acct", clock.time);
  await database.transaction(
    (tx) => tx`update work set account_id = ${uuidOf(busy)} where id in (2, 3)`,
  );
  assert.deepEqual(await claim(1, [busy]), [1]);
  assert.deepEqual(await claim(9), [2, 3]);
});

test("concurrent workers divide the rows among them", async () => {
  await fill(60);
  const claimed = (await Promise.all([claim(20), claim(20), claim(20), claim(20)])).flat();
  assert.equal(new Set(claimed).size, claimed.length, "a row was claimed twice");
});

test("a row locked by another transaction is skipped", async () => {
  await fill(2);
  await database.transaction(async (tx) => {
    await tx`select from work where id = 2 for update`;
    assert.deepEqual(await claim(9), [1]);
  });
});
