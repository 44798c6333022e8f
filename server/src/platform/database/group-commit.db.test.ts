import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "../../../test/database.ts";
import { slowed } from "../../../test/slowness.ts";
import { integers } from "./array-parameter.ts";
import { connectDatabase } from "./database.ts";
import { type GroupCommitOptions, groupCommit, QueueFull } from "./group-commit.ts";
import type { Tx } from "./sql.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
await database.transaction(
  (tx) => tx`create table written (item integer primary key, batch bigint)`,
);
after(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Writes the items in one statement that takes `seconds`, and returns each item multiplied by two. */
const writeItems =
  (seconds = 0) =>
  async (tx: Tx, items: number[]): Promise<number[]> => {
    const rows = await tx<{ item: number }>`
      with slow as materialized (select pg_sleep(${seconds}))
      insert into written (item, batch)
      select item, txid_current() from unnest(${integers(items, itself)}::integer[]) item, slow
          on conflict (item) do nothing
      returning item`;
    const done = new Set(rows.map(({ item }) => item));
    return items.map((item) => (done.has(item) ? 2 * item : 0));
  };

const createCommit = (options: Partial<GroupCommitOptions<number, number>> = {}) =>
  groupCommit<number, number>({
    connect: () => database.connect(),
    connections: 2,
    maxBatch: 16,
    maxQueue: 1_000,
    write: writeItems(),
    ...options,
  });

const numbers = (count: number, from: number) =>
  Array.from({ length: count }, (_, index) => from + index);
const batchesOf = async (items: number[]) => {
  const rows = await database.read<{ batch: number; size: number }>`
    select batch, count(*) as size from written where item = any(${items}) group by batch order by batch`;
  return rows.map(({ size }) => size);
};

const itself = (item: number): number => item;

test("each caller gets the result of its own item, regardless of batching", async () => {
  const commit = createCommit();
  const items = numbers(200, 1_000);
  assert.deepEqual(
    await Promise.all(items.map(commit)),
    items.map((item) => 2 * item),
  );
  await commit.close();
});

test("concurrent items share transactions, none larger than the maximum batch", async () => {
  const commit = createCommit();
  const items = numbers(100, 2_000);
  await Promise.all(items.map(commit));
  const sizes = await batchesOf(items);
  assert.ok(sizes.length < 20, `${sizes}`);
  assert.equal(Math.max(...sizes), 16);
  await commit.close();
});

test("a single item is written without waiting for others", async () => {
  const commit = createCommit();
  await commit(2_900);
  const started = performance.now();
  await commit(2_901);
  assert.ok(performance.now() - started < slowed(200));
  await commit.close();
});

test("an invalid row fails only its own item", async () => {
  const commit = createCommit({
    connections: 1,
    write: async (tx, items) => {
      // The division by zero fails the whole statement.
      await tx`select 1 / (item - 3005) from unnest(${integers(items, itself)}::integer[]) item`;
      return writeItems()(tx, items);
    },
  });
  const items = numbers(10, 3_000);
  const results = await Promise.allSettled(items.map(commit));
  for (const [index, result] of results.entries()) {
    if (items[index] === 3_005)
      assert.match(String((result as PromiseRejectedResult).reason), /division by zero/);
    else assert.deepEqual(result, { status: "fulfilled", value: 2 * (items[index] as number) });
  }
  await commit.close();
});

test("when the queue is full the next item is rejected immediately and not written", async () => {
  const commit = createCommit({
    connections: 1,
    maxBatch: 2,
    maxQueue: 5,
    write: writeItems(0.05),
  });
  const items = numbers(12, 4_000);
  const results = await Promise.allSettled(items.map(commit));
  const rejected = items.filter((_, index) => results[index]?.status === "rejected");
  assert.deepEqual(rejected, items.slice(5));
  for (const result of results.slice(5)) {
    assert.ok((result as PromiseRejectedResult).reason instanceof QueueFull);
  }
  const written = await database.read`select 1 from written where item = any(${rejected})`;
  assert.equal(written.length, 0);
  assert.equal(await commit(4_100), 8_200);
  await commit.close();
});

for (const [what, count] of [
  ["two batches", 20],
  ["one item", 1],
] as const) {
  test(`killed connections during the write of ${what} lose no result`, async () => {
    const commit = createCommit({ write: writeItems(1) });
    const items = numbers(count, 5_000 + 10 * count);
    const pending = Promise.allSettled(items.map(commit));
    const writers = count === 1 ? 1 : 2;
    await until(async () => (await writing()) === writers);
    const killed = await database.read`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'florin batch' and datname = current_database()`;
    assert.equal(killed.length, writers);
    for (const [index, result] of (await pending).entries()) {
      assert.deepEqual(result, { status: "fulfilled", value: 2 * (items[index] as number) });
    }
    await commit.close();
  });
}

test("while the database is unreachable items fail, and writing resumes automatically", async () => {
  let away = true;
  const commit = createCommit({
    connect: () => (away ? Promise.reject(new Error("away")) : database.connect()),
  });
  const results = await Promise.allSettled([commit(6_000), commit(6_001)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  away = false;
  assert.equal(await commit(6_002), 12_004);
  await commit.close();
});

test("closing waits for queued and running batches, and leaves no connection open", async () => {
  const commit = createCommit({ connections: 1, maxBatch: 2, write: writeItems(0.02) });
  const items = numbers(9, 7_000);
  const pending = Promise.all(items.map(commit));
  await commit.close();
  const written = await database.read`select 1 from written where item = any(${items})`;
  assert.equal(written.length, 9);
  assert.deepEqual(
    await pending,
    items.map((item) => 2 * item),
  );
  // Postgres may notice the closed connection with a delay.
  await until(async () => {
    const left = await database.read`
      select 1 from pg_stat_activity where application_name = 'florin batch' and datname = current_database()`;
    return left.length === 0;
  });
});

test("a single item that was rolled back by a deadlock is written afterwards", async () => {
  await database.transaction((tx) => tx`insert into written (item) values (9001), (9002)`);
  const commit = createCommit({
    // Long enough for both transactions to block each other. Postgres checks each waiting process for a deadlock only
    // once, after this time.
    connect: () => database.connect({ deadlock_timeout: "3s" }),
    async write(tx, items) {
      await tx`
        with two as (select item from written where item in (9001, 9002) order by item for update)
        update written set batch = ${items[0]} where item = 9002 and (select count(*) from two) = 2`;
      return items;
    },
  });
  const other = await database.connect({ deadlock_timeout: "1min" });
  await other.query("begin; update written set batch = 1 where item = 9002");
  const pending = commit(7);
  await until(async () => {
    const waiting = await database.read`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return waiting.length === 1;
  });
  await other.query("update written set batch = 1 where item = 9001; commit");
  await other.end();
  assert.equal(await pending, 7);
  const [last] = await database.read`select batch from written where item = 9002`;
  assert.deepEqual(last, { batch: 7 });
  await commit.close();
});

/** Counts the batches that Postgres is executing. */
async function writing(): Promise<number> {
  const busy = await database.read`
    select 1 from pg_stat_activity
     where application_name = 'florin batch' and datname = current_database()
       and state = 'active' and query like '%pg_sleep%'`;
  return busy.length;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + slowed(10_000); performance.now() < deadline; ) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail("The condition did not hold within ten seconds.");
}
