import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createTestDatabase } from "../../../test/database.ts";
import { slowed } from "../../../test/slowness.ts";
import { newId, uuidOf } from "../../core/ids.ts";
import { connectDatabase } from "../database/database.ts";
import { isExcludedFromDefault, listPartitions, type PartitionedTable } from "./partition.sql.ts";
import { maintainPartitions, type PartitionGroup, weeksAhead, weeksFrom } from "./partitions.ts";
import { weekMs, weekOf } from "./week.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const hour = 60 * 60_000;
const lifeMs = 30 * 24 * hour;
/** A time whose weeks have no partitions. The migrations have created those of the current weeks. */
const start = new Date("2037-05-11T12:00:00Z");
const clock = { time: start, now: () => clock.time };
const tables: readonly PartitionedTable[] = ["events", "webhook_deliveries"];
const events: PartitionGroup = {
  tables,
  lifeMs,
  async isNeeded(tx, { first, next }) {
    const rows = await tx`
      select from webhook_deliveries where status = 'pending' and id >= ${first} and id < ${next} limit 1`;
    return rows.length > 0;
  },
};

const maintain = () => maintainPartitions({ database, clock }, [events]);
const names = async () => (await listPartitions(database.read, tables)).map(({ name }) => name);

/** Inserts an event with a delivery. Returns the partition of the event. */
async function insert(time: Date, status: "pending" | "succeeded" = "succeeded"): Promise<string> {
  const account = crypto.randomUUID();
  const id = uuidOf(newId("evt", time));
  return database.transaction(async (tx) => {
    await tx`
      insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
      values (${account}, false, delivery_id(${id}, ${id}), ${id}, ${id}, ${status},
              ${status === "pending" ? time : null})`;
    const [row] = await tx<{ partition: string }>`
      insert into events (account_id, livemode, id, type, object_id, body)
      values (${account}, false, ${id}, 'ping', ${id}, '{}')
      returning tableoid::regclass::text as partition`;
    return row?.partition ?? "";
  });
}

test("weeks begin on Mondays at midnight UTC, and an id at the boundary belongs to the later week", () => {
  const monday = new Date("2037-05-11T00:00:00Z");
  assert.equal(weekOf(monday).name, "20370511");
  assert.equal(weekOf(new Date(monday.getTime() - 1)).name, "20370504");
  assert.equal(weekOf(new Date(monday.getTime() - 1), 1).name, "20370511");
  assert(uuidOf(newId("evt", monday)) >= weekOf(monday).first);
  assert(uuidOf(newId("evt", new Date(monday.getTime() - 1))) < weekOf(monday).first);
});

test("this week and the next weeks have partitions, and a row is stored in that of its week", async () => {
  const { created } = await maintain();
  assert.equal(created.length, 2 * (weeksAhead + 1));
  assert.deepEqual((await maintain()).created, []);
  assert.equal(await insert(clock.time), "events_20370511");
  assert.equal(
    await insert(new Date(clock.time.getTime() + weeksAhead * weekMs)),
    "events_20370608",
  );
});

test("the partitions have the indexes of their table and no others", async () => {
  const count = async (table: string) => {
    const rows = await database.read`select from pg_indexes where tablename = ${table}`;
    return rows.length;
  };
  for (const table of tables) assert.equal(await count(`${table}_20370511`), await count(table));
});

test("a partition has the storage parameters of the default partition", async () => {
  const parametersOf = async (name: string) => {
    const [row] = await database.read<{ parameters: string[] | null }>`
      select reloptions as parameters from pg_class where oid = to_regclass(${name})`;
    return row?.parameters ?? [];
  };
  assert.deepEqual(await parametersOf("events_20370511"), [
    "autovacuum_vacuum_insert_threshold=-1",
  ]);
  assert.deepEqual(await parametersOf("webhook_deliveries_20370511"), []);
});

test("a row of a week without a partition is stored, and its week gets no partition", async () => {
  const later = new Date(clock.time.getTime() + 5 * weekMs);
  assert.equal(await insert(later), "events_default");
  clock.time = later;
  const { created } = await maintain();
  assert(!created.some((name) => name.endsWith(weekOf(later).name)));
  assert.equal(await insert(later), "events_default");
  assert.equal(await insert(new Date(later.getTime() + weekMs)), "events_20370622");
  clock.time = start;
});

test("a week is dropped after the life of its last row, unless it has a pending delivery", async () => {
  const week = weekOf(clock.time);
  await insert(clock.time, "pending");
  clock.time = new Date(week.ends.getTime() + lifeMs + hour - 1);
  assert.deepEqual((await maintain()).dropped, []);
  clock.time = new Date(week.ends.getTime() + lifeMs + hour);
  assert.deepEqual((await maintain()).dropped, [], "a delivery is pending");
  await database.transaction(
    (tx) => tx`update webhook_deliveries set status = 'succeeded', next_attempt_at = null`,
  );
  assert.deepEqual((await maintain()).dropped, ["events_20370511", "webhook_deliveries_20370511"]);
  assert((await names()).includes("events_20370518"));
});

test("a transaction that reads the table delays the change of its partitions, but no other statement", async () => {
  const reader = new pg.Client(testDatabase.url);
  await reader.connect();
  try {
    await reader.query("begin");
    await reader.query("select count(*) from events");
    clock.time = new Date(clock.time.getTime() + 2 * weekMs);
    // The reader's transaction is younger than a second, so the job tries to lock the table, and other statements wait
    // behind it.
    const startedAt = performance.now();
    const [changes] = await Promise.all([maintain(), insert(clock.time)]);
    assert.deepEqual(changes.dropped, []);
    assert(performance.now() - startedAt < slowed(5_000));
    await sleep(1_100);
    assert.deepEqual(await maintain(), { created: [], dropped: [] }, "the job does not try");
    await reader.query("commit");
    assert.notDeepEqual((await maintain()).dropped, []);
  } finally {
    await reader.end();
  }
});

test("a partition is attached without reading a large default partition under a lock", async () => {
  clock.time = new Date(clock.time.getTime() + 10 * weekMs);
  await maintain();
  // These rows are in the default partition, because their week had no partition.
  const old = weekOf(clock.time, -20);
  const first = uuidOf(newId("evt", new Date(old.ends.getTime() - hour)));
  await database.transaction(async (tx) => {
    await tx`
      insert into events (account_id, livemode, id, type, object_id, body)
      select gen_random_uuid(), false, ${first}, 'ping', gen_random_uuid(), repeat('x', 1000) from generate_series(1, 2000)`;
  });
  const reader = new pg.Client(testDatabase.url);
  await reader.connect();
  const [week, next] = [weekOf(clock.time, weeksAhead + 1), weekOf(clock.time, weeksAhead + 2)];
  const isExcluded = (one: typeof week) => isExcludedFromDefault(database.read, "events", one);
  try {
    await reader.query("set client_min_messages = debug1");
    const messages: (string | undefined)[] = [];
    reader.on("notice", ({ message }) => messages.push(message));
    const values = ["events", `events_${next.name}`, next.first, next.next];
    await reader.query("begin");
    await reader.query("select exclude_from_default($1, $2, $3, $4)", values);
    await reader.query("select validate_exclusion($1, $2)", values.slice(0, 2));
    await reader.query("select create_partition($1, $2, $3, $4)", values);
    await reader.query("rollback");
    assert(
      messages.some((message) => /default partition.* is implied by existing/.test(message ?? "")),
      messages.join("\n"),
    );
    // A process was killed before it dropped the constraint.
    await reader.query("select exclude_from_default($1, $2, $3, $4)", [
      "events",
      `events_${week.name}`,
      week.first,
      week.next,
    ]);
  } finally {
    await reader.end();
  }
  assert(await isExcluded(week));
  clock.time = new Date(clock.time.getTime() + weekMs);
  const names = [`events_${week.name}`, `webhook_deliveries_${week.name}`];
  assert.deepEqual((await maintain()).created, names);
  assert(!(await isExcluded(week)));
  assert.equal(await insert(week.ends), `events_default`);

  // The next week has a row in the default partition, so it gets no partition.
  clock.time = new Date(clock.time.getTime() + weekMs);
  assert.deepEqual((await maintain()).created, []);
  assert(!(await isExcluded(next)));
  assert.equal(await insert(new Date(week.ends.getTime() + hour)), `events_default`);
});

test("two servers that maintain the partitions at the same time create each of them once", async () => {
  clock.time = new Date(clock.time.getTime() + 10 * weekMs);
  // The default partition is large, so the current week gets no partition.
  const [, ...later] = weeksFrom(clock.time);
  const expected = later
    .flatMap(({ name }) => tables.map((table) => `${table}_${name}`))
    .toSorted();
  const both = await Promise.all([maintain(), maintain()]);
  const created = both.flatMap((changes) => changes.created);
  assert(created.length > 0);
  // If two servers change the constraint of the same week at once, one of them gives up that week. The next run creates
  // its partitions.
  created.push(...(await maintain()).created);
  assert.deepEqual(created.toSorted(), expected);
});
