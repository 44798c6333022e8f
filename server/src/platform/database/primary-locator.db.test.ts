import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { slowed } from "../../../test/slowness.ts";
import { type PostgresPair, startPostgresPair } from "../../../test/standby.ts";
import { until } from "../../../test/until.ts";
import { connectDatabase, type Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { isUnavailable } from "./unavailable.ts";

let pair: PostgresPair;
before(async () => {
  pair = await startPostgresPair();
  await pair.primary.query("create table writes (name text primary key)");
});
after(() => pair.stop());

function connect(url: string): Database {
  return connectDatabase({ url, poolSize: 4, onIdleError: () => undefined });
}

/** Returns the URL of both servers, with the standby first. */
function urlOfBoth(): string {
  const url = pair.primary.url.replace(
    pair.primary.place,
    `${pair.standby.place},${pair.primary.place}`,
  );
  return `${url}?target_session_attrs=read-write`;
}

const write = (database: Database, name: string) =>
  database.autocommit((tx) => tx`insert into writes (name) values (${name})`);

test("a standby in DATABASE_URL is rejected, and the start names the problem", async () => {
  const database = connect(pair.standby.url);
  await assert.rejects(write(database, "standby"), (error) => isUnavailable(error));
  await database.close();
  await assert.rejects(migrate(pair.standby.url), /accepts no writes\. It is probably a standby/);
});

test("a commit that was not replicated is reported as an unknown outcome", async () => {
  const database = connect(pair.primary.url);
  await pair.primary.query("alter system set synchronous_standby_names = 'absent'");
  await pair.primary.query("select pg_reload_conf()");
  try {
    const written = write(database, "unreplicated");
    const outcome = written.then(
      () => null,
      (error: unknown) => error,
    );
    await until(
      () =>
        pair.primary.query(
          "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
        ),
      (rows) => rows.length > 0,
    );
    const error = await outcome;
    assert.match(String(error), /not replicated to the standbys/);
    assert.ok(isUnavailable(error));
  } finally {
    await pair.primary.query("alter system reset synchronous_standby_names");
    await pair.primary.query("select pg_reload_conf()");
    await database.close();
  }
});

test("writes go to the primary, and after a failover to the new primary, even if the former primary keeps running", async () => {
  const database = connect(urlOfBoth());
  const listener = await database.connect();
  const stopped = new Promise((resolve) => listener.once("end", resolve));
  await write(database, "before");
  assert.equal(
    (await pair.standby.query("select pg_is_in_recovery() as standby"))[0]?.standby,
    true,
  );

  pair.primary.signal("SIGSTOP");
  try {
    await pair.promote();
    const startedAt = performance.now();
    await until(
      () =>
        write(database, `after ${performance.now()}`).then(
          () => true,
          () => false,
        ),
      (isWritten) => isWritten,
    );
    assert.ok(performance.now() - startedAt < slowed(15_000));
    await stopped;
  } finally {
    pair.primary.signal("SIGCONT");
  }
  // Both servers accept writes now. Only the newer timeline is used.
  for (let number = 0; number < 20; number++) await write(database, `later ${number}`);
  const count = "select count(*)::int as written from writes where name like 'later%'";
  const [former] = await pair.primary.query(count);
  const [current] = await pair.standby.query(count);
  assert.deepEqual([former?.written, current?.written], [0, 20]);
  await database.close();
});
