import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresPair, startPostgresPair } from "../../../test/standby.ts";
import { until } from "../../../test/until.ts";
import { connectDatabase, type Database } from "./database.ts";

let pair: PostgresPair;
let database: Database;
before(async () => {
  pair = await startPostgresPair();
  await pair.primary.query("create table writes (number integer primary key)");
  database = connectDatabase({
    url: pair.primary.url,
    replicaUrl: pair.standby.url,
    poolSize: 8,
    onIdleError: () => undefined,
  });
});
after(async () => {
  await database.close();
  await pair.stop();
});

let written = 0;
const write = () => {
  written += 1;
  return database.autocommit((tx) => tx`insert into writes (number) values (${written})`);
};

/** Reads the highest number, and whether a standby returned it. */
async function read(): Promise<{ number: number; isStandby: boolean }> {
  const rows = await database.readRows((row) => ({
    number: Number(row.utf8(0).toString()),
    isStandby: row.utf8(1).toString() === "t",
  }))`select coalesce(max(number), 0), pg_is_in_recovery() from writes`;
  return rows[0] as { number: number; isStandby: boolean };
}

const untilStandby = () => until(read, ({ isStandby }) => isStandby);

test("the standby serves reads, and each read has the writes before it", async () => {
  await untilStandby();
  let moved = 0;
  for (let times = 0; times < 100; times++) {
    await write();
    const { number, isStandby } = await read();
    assert.equal(number, written);
    if (isStandby) moved += 1;
  }
  assert.ok(moved > 0, "the standby served no read");
});

test("concurrent readers and writers read their own writes", async () => {
  await untilStandby();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let times = 0; times < 20; times++) {
        await write();
        const before = written;
        const { number } = await read();
        assert.ok(number >= before - 8);
      }
    }),
  );
});

test("the primary serves reads while the standby lags, and the standby afterwards", async () => {
  await untilStandby();
  await pair.standby.query("select pg_wal_replay_pause()");
  await until(
    () => pair.standby.query("select pg_get_wal_replay_pause_state() as state"),
    ([row]) => row?.state === "paused",
  );
  await write();
  assert.deepEqual(await read(), { number: written, isStandby: false });
  await pair.standby.query("select pg_wal_replay_resume()");
  assert.equal((await untilStandby()).number, written);
});

test("a standby from before a restore serves no reads, although it has replayed more than the primary has written", async () => {
  const restored = await pair.restoreCopy();
  await write();
  await write();
  await pair.primary.query("select pg_switch_wal()");
  const { number } = await untilStandby();
  // A replica that has failed is not used for a while, so each read has its own connections.
  const readRestored = async () => {
    const later = connectDatabase({
      url: restored.url,
      replicaUrl: pair.standby.url,
      poolSize: 2,
      onIdleError: () => undefined,
    });
    const rows = later.readRows((row) => row.utf8(0).toString())`
      select max(number) || ' ' || pg_is_in_recovery() from writes`;
    return await rows.finally(later.close);
  };
  const expected = [`${number - 2} false`];
  assert.deepEqual(await readRestored(), expected);
  await pair.primary.query("alter table writes rename to renamed");
  await until(
    () => pair.standby.query("select to_regclass('renamed') is not null as renamed"),
    ([row]) => row?.renamed === true,
  );
  assert.deepEqual(await readRestored(), expected, "the tables of the standby differ");
  await pair.primary.query("alter table renamed rename to writes");
});

test("the primary serves a read that the standby does not complete in time", async () => {
  const impatient = connectDatabase({
    url: pair.primary.url,
    replicaUrl: pair.standby.url,
    replicaReadTimeoutMs: 200,
    poolSize: 2,
    onIdleError: () => undefined,
  });
  try {
    // On the standby, the statement takes longer than the time limit. On the primary, it returns immediately.
    const readSlowly = () =>
      impatient.readRows((row) => row.utf8(0).toString())`
        select case when pg_is_in_recovery() then pg_sleep(15)::text else 'primary' end`;
    const startedOnStandby = () =>
      pair.standby.query(`
        select from pg_stat_activity where query ~ 'then pg_sleep' and pid <> pg_backend_pid()`);
    await until(
      async () => ({ results: await readSlowly(), started: await startedOnStandby() }),
      ({ results, started }) => results[0] === "primary" && started.length > 0,
    );
  } finally {
    await impatient.close();
  }
});

test("the primary serves reads while the standby does not respond or is gone", async () => {
  await untilStandby();
  pair.standby.signal("SIGSTOP");
  try {
    await write();
    assert.deepEqual(await read(), { number: written, isStandby: false });
  } finally {
    pair.standby.signal("SIGCONT");
  }
  assert.equal((await untilStandby()).number, written);

  await pair.promote();
  await write();
  await until(read, ({ number, isStandby }) => number === written && !isStandby);
});
