import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import {
  type CardSearchDeps,
  startCardSearch,
} from "../../src/admin/operator/card-data-scan.jobs.ts";
import { newId } from "../../src/core/ids.ts";
import {
  claimRun,
  endRun,
  insertDailySearch,
} from "../../src/insights/monitoring/checker-run.sql.ts";
import { createGauges } from "../../src/insights/monitoring/database-gauges.ts";
import { createMetrics } from "../../src/insights/monitoring/process-metrics.ts";
import { serveMetrics } from "../../src/insights/monitoring/serve-metrics.ts";
import { connectDatabase, type Database } from "../../src/platform/database/database.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { createTestTimers } from "../test-timers.ts";
import { noteClose, noteUse, until } from "../until.ts";

const shop = await startShop({ workers: false });
const { clock, app } = shop;
const { database } = app;
const meters = createMetrics();
const metrics = serveMetrics({
  configuredHost: "127.0.0.1",
  read: createGauges({
    registry: meters.registry,
    database,
    clock,
    sendsMail: false,
    onError: (error) => assert.fail(String(error)),
  }),
});
const second: Database = connectDatabase({
  url: shop.settings.DATABASE_URL,
  poolSize: 4,
  onIdleError: () => {},
});
after(async () => {
  await metrics.close();
  await second.close();
  await shop.close();
});

const hour = 60 * 60_000;
const day = 24 * hour;
const errors: unknown[] = [];
const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((stop) => stop()));
});

/** Starts a card search in this process that behaves like the search of another server process. */
function startProcess(options: Partial<CardSearchDeps> = {}) {
  const found: number[] = [];
  const timers = createTestTimers();
  const loop = startCardSearch(
    { database, clock, hour: 3, log: { found: (n) => found.push(n) }, ...options },
    { timers, onError: (_, error) => errors.push(error) },
  );
  noteUse(timers);
  const stop = () => {
    noteClose(timers);
    return loop.stop();
  };
  started.push(stop);
  return { found, stop, turn: timers.turn };
}

type Run = {
  day: string;
  requested_by: string | null;
  leased_until: Date | null;
  ended_at: Date | null;
  error: string | null;
  report: { violations: number } | null;
};

const runs = () =>
  database.read<Run>`
    select day::text, requested_by, leased_until, ended_at, error, report
      from checker_runs where kind = 'card_data' order by id
  `;
const allEnded = (found: Run[]) => found.length > 0 && found.every(({ ended_at }) => ended_at);
const health = async () => {
  // Signs in each time, because the tests advance the clock by days and sessions expire.
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { body } = await operator.send("GET", "/operator/v1/health");
  return body.card_search as Record<string, unknown>;
};
const gauge = async (name: string) => {
  const { body } = await metrics.inject({ url: "/metrics" });
  const line = body.split("\n").find((one) => one.startsWith(`${name}{kind="card_data"}`));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
};

/** Moves the clock forward to the given hour of the day in UTC. */
function moveTo(hourOfDay: number): void {
  const now = clock.now().getTime();
  const sinceMidnight = now % day;
  const ahead = (hourOfDay * hour - sinceMidnight + day) % day;
  clock.advance(ahead);
}

async function restart(): Promise<void> {
  errors.length = 0;
  await database.transaction((tx) => tx`delete from checker_runs`);
}

test("two processes together run the search once a day, not before the configured hour", async () => {
  await restart();
  moveTo(4);
  const processes = [startProcess(), startProcess({ database: second })];
  const turn = () => Promise.all(processes.map((process) => process.turn()));
  await until(runs, allEnded);
  await turn();
  assert.equal((await runs()).length, 1, "the two processes search once in total");

  clock.advance(22 * hour);
  await turn();
  assert.equal((await runs()).length, 1, "the next run is not due at two o'clock");
  clock.advance(hour);
  const [first, next] = await until(runs, (found) => found.length === 2 && allEnded(found));
  await turn();
  assert.equal((await runs()).length, 2);
  assert.notEqual(first?.day, next?.day);
  assert.deepEqual([next?.requested_by, next?.error, next?.report?.violations], [null, null, 0]);
  await Promise.all(processes.map(({ stop }) => stop()));
  assert.deepEqual(errors, []);
});

test("a found card number is reported by location, counted in a metric, and never printed", async () => {
  await restart();
  await database.transaction(async (tx) => {
    await tx`create table imported_notes (note text)`;
    await tx`insert into imported_notes values ('card 4242 4242 4242 4242')`;
  });
  assert.equal((await health()).status, null);
  assert.equal(await gauge("florin_checker_violations"), undefined);
  const process = startProcess();
  await until(runs, allEnded);
  await process.stop();
  assert.deepEqual([process.found, errors], [[1], []]);

  const shown = await health();
  assert.deepEqual([shown.status, shown.error, shown.findings], ["ended", null, 1]);
  assert.deepEqual(shown.places, [
    "public.imported_notes.note at (0,1) contains a card number ending in 4242.",
  ]);
  const now = Math.floor(clock.now().getTime() / 1000);
  assert.ok(Number(shown.last_success) > now - 60 && Number(shown.last_success) <= now);
  assert.equal(await gauge("florin_checker_violations"), 1);
  const succeededAt = await gauge("florin_checker_last_run_timestamp_seconds");
  assert.equal(Math.floor(succeededAt ?? 0), shown.last_success);
  const printed = JSON.stringify([shown, await runs(), shop.log, errors]);
  assert.doesNotMatch(printed, /4242\W*4242/);

  await database.transaction((tx) => tx`drop table imported_notes`);
  clock.advance(day);
  const next = startProcess();
  await until(runs, (found) => found.length === 2 && allEnded(found));
  await next.stop();
  assert.equal((await health()).findings, 0);
  assert.equal(await gauge("florin_checker_violations"), 0);
});

test("a failed search logs the reason and keeps the time of the last success", async () => {
  await restart();
  const process = startProcess();
  await until(runs, allEnded);
  await process.stop();
  const success = (await health()).last_success;
  clock.advance(day);
  const broken: Database = {
    ...database,
    read: () => Promise.reject(new Error("invalid text 4242424242424242")),
  };
  const failing = startProcess({ database: broken });
  await until(runs, (found) => found.length === 2 && allEnded(found));
  await failing.stop();
  const shown = await health();
  assert.deepEqual(
    [shown.status, shown.error, shown.last_success],
    ["failed", "Error: invalid text ••••", success],
  );
});

/** Claims the day's search like a process that then crashes or is paused. */
async function claimAsAnother(leaseMs: number) {
  const now = clock.now();
  await database.transaction((tx) =>
    insertDailySearch(tx, newId("run", now), now.toISOString().slice(0, 10)),
  );
  return await claim(leaseMs);
}

const claim = (leaseMs: number) => {
  const now = clock.now();
  const leasedUntil = new Date(now.getTime() + leaseMs);
  return database.transaction((tx) => claimRun(tx, "card_data", now, leasedUntil));
};

test("the search of a dead process is taken over when its lease expires, and not before", async () => {
  await restart();
  moveTo(12);
  assert.ok(await claimAsAnother(120_000));
  const process = startProcess();
  clock.advance(110_000);
  await process.turn();
  assert.equal(
    (await runs())[0]?.ended_at,
    null,
    "the run is not taken over before its lease expires",
  );
  clock.advance(11_000);
  const [run, ...more] = await until(runs, allEnded);
  await process.stop();
  assert.deepEqual([run?.error, run?.report?.violations, more.length], [null, 0, 0]);
});

/** Locks a table that the search reads, so that the search waits for it. Returns a function that unlocks the table. */
async function blockSearch() {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = database.transaction(async (tx) => {
    await tx`lock table webhook_endpoints in access exclusive mode`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

const isWorking = ([run]: Run[]) => Boolean(run?.leased_until);

test("the lease is renewed during the search and released when the process stops", async () => {
  await restart();
  const release = await blockSearch();
  const process = startProcess({ database: second, renewEveryMs: 10 });
  await until(runs, isWorking);
  for (let times = 0; times < 3; times++) {
    clock.advance(100_000);
    const advanced = clock.now().getTime();
    const renewed = ([run]: Run[]) => Number(run?.leased_until) >= advanced + 120_000;
    await until(runs, renewed);
    assert.equal(await claim(120_000), null, "another process cannot claim the run");
  }
  const stopped = process.stop();
  await release();
  await stopped;
  const [run] = await runs();
  assert.deepEqual([run?.ended_at, run?.leased_until], [null, null]);
  assert.ok(await claim(120_000), "another process can claim the run immediately");
  assert.deepEqual(errors, []);
});

test("a process that was paused past its lease records no result", async () => {
  await restart();
  const release = await blockSearch();
  // Does not renew the lease, like a process that the system has suspended.
  const paused = startProcess({ database: second, renewEveryMs: day });
  await until(runs, isWorking);
  clock.advance(121_000);
  const taken = await claim(120_000);
  assert.ok(taken);
  await release();
  await paused.turn();
  const [run] = await runs();
  assert.deepEqual([run?.ended_at, run?.leased_until], [null, taken.leasedUntil]);

  const report = { violations: 7, duration_ms: 1, results: [] };
  const outcome = { report, error: null };
  assert.equal(await database.transaction((tx) => endRun(tx, taken, outcome, clock.now())), true);
  await paused.stop();
  assert.deepEqual(
    (await runs()).map((one) => one.report?.violations),
    [7],
  );
  assert.deepEqual(errors, []);
});
