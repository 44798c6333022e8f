import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { slowed } from "../../../test/slowness.ts";
import { startEmbeddedPostgres, stopEmbeddedPostgres } from "./embedded.ts";

/**
 * A directory that only the user of this process can enter, like /root. When root runs these tests, they verify that
 * Postgres can still reach the directory.
 */
let directory: string;
let children: ChildProcess[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-embedded-"));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await stopEmbeddedPostgres(directory, "immediate").catch(() => {});
  await rm(directory, { recursive: true });
});

const start = (log: (line: string) => void = () => {}) => startEmbeddedPostgres({ directory, log });

/** Starts another process that runs Postgres, as a server does. Tests can kill it. */
async function startElsewhere(): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const fixture = join(import.meta.dirname, "run-embedded.fixture.ts");
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [fixture, directory], { stdio: [...stdio] });
  children.push(child);
  assert.ok(child.stdout);
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, ...JSON.parse(line) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // The tests stop Postgres while connections are open. The error event is ignored, because the next statement reports
  // the failure.
  client.on("error", () => {});
  await client.connect();
  return await client
    .query({ text, rowMode: "array" })
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** The error of a connection after a normal shutdown, in which Postgres removes its socket. */
const notRunning = { code: "ENOENT" };

async function until<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() - started > slowed(20_000)) throw error;
      await sleep(50);
    }
  }
}

test("committed data survives an orderly stop, and the URL stays the same", async () => {
  const first = await start();
  await query(first.url, "create table marked as select 7 as n");
  await first.stop();
  await assert.rejects(query(first.url, "select 1"), notRunning);

  const started = performance.now();
  const second = await start();
  assert.ok(
    performance.now() - started < slowed(5_000),
    "the second start took as long as a first start",
  );
  assert.equal(second.url, first.url);
  assert.deepEqual(await query(second.url, "select n from marked"), [[7]]);
  await second.stop();
});

test("every durability setting is on, and only this machine can connect", async () => {
  const { url, stop } = await start();
  const names = ["fsync", "full_page_writes", "synchronous_commit", "listen_addresses"];
  const shown = await query(url, `select ${names.map((name) => `current_setting('${name}')`)}`);
  assert.deepEqual(shown, [["on", "on", "on", "127.0.0.1"]]);
  const wrong = new URL(url);
  wrong.password = "guess";
  await assert.rejects(query(wrong.href, "select 1"), /password authentication failed/);
  const { mode } = await stat(join(directory, "postgres/password"));
  assert.equal(mode & 0o777, 0o600);
  await stop();
});

test("a Postgres left by a killed server is taken over and stopped at the end", async () => {
  const { child, url, pid } = await startElsewhere();
  await query(url, "create table marked as select 7 as n");
  await kill(child);

  const next = await start();
  assert.equal(next.pid, pid);
  assert.deepEqual(await query(next.url, "select n from marked"), [[7]]);
  await next.stop();
  await assert.rejects(query(url, "select 1"), notRunning);
});

test("a killed Postgres restarts at the same URL with all committed data", async () => {
  const output: string[] = [];
  const running = await start((line) => output.push(line));
  const { url, pid } = running;
  await query(url, "create table marked as select 7 as n");
  process.kill(pid, "SIGKILL");
  assert.deepEqual(await until(() => query(url, "select n from marked")), [[7]]);
  assert.notEqual(running.pid, pid);
  assert.ok(output.includes("Postgres stopped unexpectedly. Starting it again."));
  await running.stop();
});

test("after server and Postgres are killed together, the next start has all committed data", async () => {
  const { child, url, pid } = await startElsewhere();
  await query(url, "create table marked as select 7 as n");
  const dead = kill(child);
  process.kill(pid, "SIGKILL");
  await dead;
  const next = await start();
  assert.notEqual(next.pid, pid);
  assert.deepEqual(await query(next.url, "select n from marked"), [[7]]);
  await next.stop();
});

test("servers that start together on an empty directory share one Postgres, and the last one stops it", async () => {
  const [one, two, startedHere] = await Promise.all([startElsewhere(), startElsewhere(), start()]);
  assert.deepEqual([one.pid, two.pid], [startedHere.pid, startedHere.pid]);
  assert.deepEqual([one.url, two.url], [startedHere.url, startedHere.url]);
  await kill(one.child);
  await startedHere.stop();
  assert.deepEqual(await query(two.url, "select 1"), [[1]]);

  await kill(two.child);
  const last = await start();
  await last.stop();
  await assert.rejects(query(startedHere.url, "select 1"), notRunning);
});

test("an interrupted creation is repeated, and its files are removed", async () => {
  const { pid: dead } = spawnSync("true");
  const remains = `postgres.new-${dead}-00000000`;
  await mkdir(join(directory, remains, "data"), { recursive: true });
  await writeFile(join(directory, remains, "data", "PG_VERSION"), "18\n");
  const { url, stop } = await start();
  assert.deepEqual(await query(url, "select 1"), [[1]]);
  assert.deepEqual(await readdir(directory), ["postgres"]);
  await stop();
});

test("a directory to which a backup was not completely restored is rejected and left unchanged", async () => {
  const { pid: dead } = spawnSync("true");
  await mkdir(join(directory, `postgres.partial-${dead}`));
  await assert.rejects(start(), {
    name: "StartupError",
    message: `The restore of a backup to ${directory} was interrupted. Run 'florin restore' again. If you want a new, empty database instead, delete ${directory}/postgres.partial-${dead}.`,
  });
  // The parent process is running.
  await mkdir(join(directory, `postgres.partial-${process.ppid}`));
  await rm(join(directory, `postgres.partial-${dead}`), { recursive: true });
  await assert.rejects(start(), /^StartupError: A backup is being restored to /);
  assert.deepEqual(await readdir(directory), [`postgres.partial-${process.ppid}`]);
});

test("a directory with other content is rejected and left unchanged", async () => {
  await mkdir(join(directory, "postgres"));
  await writeFile(join(directory, "postgres", "thesis.txt"), "the only copy");
  await assert.rejects(start(), /is not a database/);
  const text = await readFile(join(directory, "postgres", "thesis.txt"), "utf8");
  assert.equal(text, "the only copy");
});

test("a stale pid file whose process id was reused does not prevent a start", async () => {
  const first = await start();
  await first.stop();
  // In a container, another process soon has the process id of the stopped Postgres. Here, the test process has that
  // process id.
  const pidFile = join(directory, "postgres/data/postmaster.pid");
  await writeFile(pidFile, `${process.pid}\n/elsewhere\n1\n5432\n\n\n\nready\n`);
  const second = await start();
  assert.deepEqual(await query(second.url, "select 1"), [[1]]);
  await second.stop();
});

test("an empty pid file left by a crash does not prevent a start", async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(directory, "postgres/data/postmaster.pid"), "");
  const second = await start();
  assert.deepEqual(await query(second.url, "select 1"), [[1]]);
  await second.stop();
});

test("each time that another process occupies the port, Postgres starts on another port", async () => {
  for (let times = 0; times < 6; times++) {
    const first = await start();
    await first.stop();
    const port = Number(new URL(first.url).searchParams.get("port") ?? new URL(first.url).port);
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    try {
      const second = await start();
      assert.deepEqual(await query(second.url, "select 1"), [[1]]);
      await second.stop();
    } finally {
      other.close();
    }
  }
});

test("when Postgres cannot start, the error contains its message", async () => {
  const first = await start();
  await first.stop();
  await appendFile(join(directory, "postgres/data/postgresql.conf"), "\nshared_bufers = 1\n");
  await assert.rejects(start(), /could not start[\s\S]*unrecognized configuration parameter/);
});

test("on a damaged database, the start fails after a few attempts, and the error contains Postgres's output", async () => {
  await (await start()).stop();
  const log = join(directory, "postgres/data/pg_wal");
  for (const name of await readdir(log)) await rm(join(log, name), { recursive: true });
  const started = performance.now();
  await assert.rejects(start(), (error: Error) => {
    assert.equal(error.name, "StartupError");
    assert.match(error.message, /stopped 5 times before it was ready.*could not/s);
    return true;
  });
  assert(
    performance.now() - started < slowed(20_000),
    "the start did not fail before its grace period ended",
  );
});

test("Ctrl-C in the terminal does not reach Postgres, which runs in a separate session", async () => {
  const { pid, stop } = await start();
  const session = spawnSync("ps", ["-o", "sess=", "-p", String(pid)], { encoding: "utf8" });
  assert.equal(session.stdout.trim(), String(pid));
  await stop();
});

test("an aborted start stops the Postgres that it has launched", async () => {
  const stopping = new AbortController();
  const pidFile = join(directory, "postgres/data/postmaster.pid");
  const postgres = await start();
  await postgres.stop();
  const starting = startEmbeddedPostgres({ directory, log: () => {}, signal: stopping.signal });
  // Aborts the start as soon as the pid file exists. At that time, Postgres does not accept connections yet.
  const watch = setInterval(() => existsSync(pidFile) && stopping.abort(new Error("stopped")), 1);
  await assert.rejects(starting, { message: "stopped" }).finally(() => clearInterval(watch));
  assert.equal(existsSync(pidFile), false, "Postgres still runs");
  assert.deepEqual(await readdir(join(directory, "postgres/users")), []);
});
