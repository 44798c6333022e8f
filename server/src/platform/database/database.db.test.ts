import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { slowed } from "../../../test/slowness.ts";
import { connectDatabase, type Database } from "./database.ts";
import { DatabaseClient } from "./database-client.ts";
import type { Sql } from "./sql.ts";
import { isUnavailable } from "./unavailable.ts";

let testDatabase: TestDatabase;
let database: Database;
const deadlocks: Error[] = [];

before(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase({
    url: testDatabase.url,
    poolSize: 2,
    onIdleError: () => undefined,
    onDeadlock: (error) => deadlocks.push(error as Error),
  });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

test("a day has 24 hours and a time is parsed, regardless of the time zone and date style of the database", async () => {
  const connected = await connectWithDefaults({
    timezone: "America/New_York",
    datestyle: "German, DMY",
  });
  const [row] = await connected.read<{ end: Date; day: string }>`
    select '2027-03-13T12:00:00Z'::timestamptz + make_interval(days => 2) as end, '2027-03-13'::date::text as day
  `;
  assert.deepEqual(row, { end: new Date("2027-03-15T12:00:00Z"), day: "2027-03-13" });
  const batch = await connected.connect();
  const { rows } = await batch.query("select current_setting('timezone') as zone");
  await batch.end();
  assert.deepEqual(rows, [{ zone: "UTC" }]);
});

test("statements are not compiled and are planned for solid-state disks, regardless of the database's settings", async () => {
  const connected = await connectWithDefaults({ jit: "on", random_page_cost: "4" });
  const [row] = await connected.read`
    select current_setting('jit') as jit, current_setting('random_page_cost') as random_page
  `;
  const batch = await connected.connect();
  const { rows } = await batch.query(
    "select current_setting('jit') as jit, current_setting('random_page_cost') as random_page",
  );
  await batch.end();
  const expected = { jit: "off", random_page: "1.1" };
  assert.deepEqual([row, ...rows], [expected, expected]);
});

test("a connection that breaks between two statements fails only its transaction", async () => {
  const broken = database.transaction(async (tx) => {
    const [row] = await tx<{ pid: number }>`select pg_backend_pid() as pid`;
    await database.read`select pg_terminate_backend(${row?.pid})`;
    await sleep(50);
    await tx`select 1`;
  });
  await assert.rejects(broken);

  const [row] = await database.transaction((tx) => tx<{ one: number }>`select 1 as one`);
  assert.equal(row?.one, 1);
});

test("the end of a connection that Postgres considers idle counts as unavailability", async () => {
  const client = new DatabaseClient(testDatabase.url);
  const errors: Error[] = [];
  client.on("error", (error) => errors.push(error));
  await client.connect();
  await client.query("set idle_session_timeout = '20ms'");
  await new Promise((ended) => client.once("end", () => ended(null)));
  // The session's end also emits a second error, for the closed socket.
  assert.equal((errors[0] as { code?: string } | undefined)?.code, "57P05");
  assert.ok(errors.every(isUnavailable));
});

test("a connection that breaks during checkout fails its transaction and does not end the process", async () => {
  const { url, close } = await startDyingPostgres(testDatabase.url);
  const dying = connectDatabase({ url, poolSize: 2, onIdleError: () => undefined });
  try {
    await assert.rejects(dying.transaction((tx) => tx`select 1`));
  } finally {
    close();
    await dying.close();
  }
});

test("two deadlocked transactions both complete once, and the deadlock is reported", async () => {
  await database.transaction(async (tx) => {
    await tx`create table taken (item integer primary key, times integer not null)`;
    await tx`insert into taken values (1, 0), (2, 0)`;
  });
  let started = 0;
  const bothHaveStarted = async () => {
    started++;
    while (started < 2) await sleep(5);
  };
  const take = (first: number, second: number) =>
    database.transaction(async (tx) => {
      await tx`update taken set times = times + 1 where item = ${first}`;
      await bothHaveStarted();
      await tx`update taken set times = times + 1 where item = ${second}`;
      return first;
    });
  assert.deepEqual(await Promise.all([take(1, 2), take(2, 1)]), [1, 2]);
  assert(started > 2, "no transaction was retried");
  assert.match(deadlocks[0]?.message ?? "", /deadlock detected/);
  const rows = await database.read`select item, times from taken order by item`;
  assert.deepEqual(rows, [
    { item: 1, times: 2 },
    { item: 2, times: 2 },
  ]);
});

test("autocommit commits its statement, and rejects a second one without executing it", async () => {
  await database.autocommit((tx) => tx`create table visits (visitor text)`);
  const twice = database.autocommit(async (tx) => {
    await tx`insert into visits values ('first')`;
    await tx`insert into visits values ('second')`;
  });
  await assert.rejects(twice, /a second statement needs a transaction/);
  assert.deepEqual(await database.read`select visitor from visits`, [{ visitor: "first" }]);
});

test("autocommit runs tasks after its commit, and none after a failure", async () => {
  const done: string[] = [];
  const run = (task: string, divisor: number) =>
    database.autocommit(async (tx) => {
      tx.afterCommit(() => done.push(task));
      await tx`select 1 / ${divisor}::integer`;
    });
  await run("committed", 1);
  await assert.rejects(run("failed", 0), /division by zero/);
  assert.deepEqual(done, ["committed"]);
});

test("the stack of a failed statement's error contains the function that ran the statement", async () => {
  const divideByNothing = (sql: Sql) => sql`select 1 / 0`;
  const leadsHere = ({ stack = "" }: Error) => /divideByNothing|database\.db\.test\.ts/.test(stack);
  await assert.rejects(() => divideByNothing(database.read), leadsHere);
  await assert.rejects(() => database.transaction((tx) => divideByNothing(tx)), leadsHere);
});

test("a connection whose response exceeds the time limit is closed, and the next statement succeeds", async () => {
  const withTimeout = connectDatabase({
    url: testDatabase.url,
    poolSize: 1,
    onIdleError: () => undefined,
    responseTimeoutMs: slowed(500),
  });
  try {
    await assert.rejects(withTimeout.read`select pg_sleep(5)`, isUnavailable);
    await assert.rejects(
      withTimeout.transaction((tx) => tx`select pg_sleep(5)`),
      isUnavailable,
    );
    assert.deepEqual(await withTimeout.read`select 1 as one`, [{ one: 1 }]);
  } finally {
    await withTimeout.close();
  }
});

/** Starts a proxy to Postgres that closes each connection immediately after Postgres reports that it is ready. */
async function startDyingPostgres(living: string): Promise<{ url: string; close: () => void }> {
  const url = new URL(living);
  const directory = url.searchParams.get("host");
  const place = directory
    ? { path: `${directory}/.s.PGSQL.${url.port}` }
    : { host: url.hostname, port: Number(url.port) };
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
  const fields = Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0");
  const fatal = Buffer.concat([Buffer.from([0x45, 0, 0, 0, fields.length + 4]), fields]);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const behind = connect(place);
    sockets.push(client, behind);
    client.on("error", () => undefined).pipe(behind.on("error", () => undefined));
    behind.on("data", (data: Buffer) => {
      if (!data.includes(ready)) client.write(data);
      else client.end(Buffer.concat([data, fatal]));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  url.search = "";
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url: url.href, close };
}

/** Connects to another database with these defaults for new sessions. Closes the connections after the test. */
async function connectWithDefaults(defaults: Readonly<Record<string, string>>): Promise<Database> {
  const other = await createTestDatabase();
  const administrator = new DatabaseClient(other.url);
  await administrator.connect();
  for (const [setting, value] of Object.entries(defaults)) {
    await administrator.query(
      `alter database ${administrator.database} set ${setting} = '${value}'`,
    );
  }
  await administrator.end();
  const connected = connectDatabase({
    url: other.url,
    poolSize: 1,
    onIdleError: () => undefined,
  });
  after(async () => {
    await connected.close();
    await other.drop();
  });
  return connected;
}
