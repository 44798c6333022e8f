import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readConfig } from "@florin/server/config.ts";
import { connectDatabase, type Database } from "@florin/server/platform/database/database.ts";
import { freePort } from "@florin/server/test/free-port.ts";
import { type PostgresPair, startPostgresPair } from "@florin/server/test/standby.ts";
import { until } from "@florin/server/test/until.ts";
import { runChecks } from "./check.ts";
import { databaseChecks } from "./database-checks.ts";

let pair: PostgresPair;
let database: Database;
before(async () => {
  pair = await startPostgresPair();
  database = connectDatabase({
    url: pair.primary.url,
    poolSize: 1,
    onIdleError: () => undefined,
  });
});
after(async () => {
  await database.close();
  await pair.stop();
});

async function checkReplica(
  url: string,
  primary = database,
): Promise<{ status: string; found: string }> {
  const config = readConfig({ DATABASE_URL: pair.primary.url, FLORIN_REPLICA_URL: url });
  const checks = databaseChecks.filter(({ name }) => name === "database-replica");
  const [result] = await runChecks(checks, { config, database: primary });
  assert(result);
  return result;
}

/** On an overloaded machine, the standby lags at first. */
const untilAccepted = (url: string) =>
  until(
    () => checkReplica(url),
    ({ status }) => status === "ok",
  );

test("doctor accepts a standby of the database", async () => {
  await untilAccepted(pair.standby.url);
});

test("doctor warns of a replica that serves no reads", async () => {
  const primary = await checkReplica(pair.primary.url);
  assert.equal(primary.status, "warning");
  assert.match(primary.found, /is not a standby$/);

  const nothing = new URL(pair.standby.url);
  nothing.port = String(await freePort());
  const unreachable = await checkReplica(nothing.href);
  assert.equal(unreachable.status, "warning");
  assert.match(unreachable.found, /cannot connect .*: connect ECONNREFUSED/);
});

test("doctor rejects a standby of another database, whose reads would be wrong", async () => {
  await pair.primary.query("create database other");
  const other = new URL(pair.standby.url);
  other.pathname = "/other";
  // The standby receives the new database with a delay.
  const foreign = await until(
    () => checkReplica(other.href),
    ({ status }) => status !== "warning",
  );
  assert.equal(foreign.status, "failed");
  assert.match(foreign.found, /points to a standby of a different database/);
});

test("doctor warns of a standby that lags, or that follows the database before a restore", async () => {
  const url = pair.standby.url;
  await pair.standby.query("select pg_wal_replay_pause()");
  await until(
    () => pair.standby.query("select pg_get_wal_replay_pause_state() as state"),
    ([row]) => row?.state === "paused",
  );
  await pair.primary.query("create table later ()");
  const behind = await checkReplica(url);
  assert.equal(behind.status, "warning");
  assert.match(behind.found, /does not replay the primary's log within three seconds/);
  await pair.standby.query("select pg_wal_replay_resume()");
  await untilAccepted(url);

  const restored = await pair.restoreCopy();
  await pair.primary.query("create table lost ()");
  await untilAccepted(url);
  const later = connectDatabase({ url: restored.url, poolSize: 1, onIdleError: () => undefined });
  const ahead = await checkReplica(url, later).finally(later.close);
  assert.equal(ahead.status, "warning");
  assert.match(ahead.found, /has replayed more of the log than the primary has written/);
});
