import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { after, afterEach, before, beforeEach, test } from "node:test";
import pg from "pg";
import { systemClock } from "../../core/clock.ts";
import { startEmbeddedPostgres, stopEmbeddedPostgres } from "./embedded.ts";
import { backUpEmbeddedPostgres } from "./embedded-backup.ts";
import { restoreEmbeddedPostgres } from "./embedded-restore.ts";
import { StartupError } from "./startup-error.ts";

let home: string;
let directory: string;
let target: string;
let children: ChildProcess[];
before(async () => {
  home = await mkdtemp(join(tmpdir(), "florin-backup-"));
  directory = join(home, "data");
  await (await start(directory)).stop();
});
beforeEach(() => {
  target = join(home, "backup");
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const one of [directory, target]) await stopEmbeddedPostgres(one, "immediate");
  await rm(target, { recursive: true, force: true });
});
after(() => rm(home, { recursive: true }));

const start = (at: string) => startEmbeddedPostgres({ directory: at, log: () => {} });

/** Starts another process that runs Postgres, as the service does. */
async function startElsewhere(): Promise<{ url: string; pid: number }> {
  const fixture = join(import.meta.dirname, "run-embedded.fixture.ts");
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [fixture, directory], { stdio: [...stdio] });
  children.push(child);
  assert.ok(child.stdout);
  const [line] = await once(createInterface(child.stdout), "line");
  return JSON.parse(line);
}

const clock = systemClock;

function backUp({
  signal = new AbortController().signal,
  log = (_: string) => {},
  clock = systemClock,
} = {}) {
  return backUpEmbeddedPostgres({ directory, target, signal, clock, log });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = await connect(url);
  return await client
    .query({ text, rowMode: "array" })
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Repeats an action until the returned function is called. The action gets the number of earlier calls. */
function repeatUntilStopped(action: (count: number) => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  const done = (async () => {
    for (let count = 0; !stopped; count++) await action(count);
  })();
  done.catch(() => undefined);
  return () => {
    stopped = true;
    return done;
  };
}

/** Fails the test early when Postgres cannot recover. A start may otherwise take up to ten minutes. */
const recovering = { timeout: 300_000 };

test(
  "a backup during writes and checkpoints contains every commit acknowledged before its time",
  recovering,
  async () => {
    const postgres = await startElsewhere();
    await query(postgres.url, "create table acknowledged (n integer primary key, filler text)");
    const [writer, checkpointer] = [await connect(postgres.url), await connect(postgres.url)];
    const acknowledged: { n: number; at: number }[] = [];
    const stopWriting = repeatUntilStopped(async (n) => {
      await writer.query("insert into acknowledged select $1, repeat('florin ', 100)", [n]);
      acknowledged.push({ n, at: Date.now() });
    });
    // Each checkpoint moves the default starting point of recovery. Only backup_label has the correct starting point.
    const stopCheckpoints = repeatUntilStopped(() => checkpointer.query("checkpoint"));

    let copyingSince = 0;
    const backup = await backUp({
      log: () => {
        copyingSince = Date.now();
      },
    });
    await stopCheckpoints();
    const before = acknowledged.length;
    while (acknowledged.length < before + 10) await query(postgres.url, "select");
    await stopWriting();

    const moment = backup.committedBefore.getTime();
    const acknowledgedBefore = acknowledged.filter(({ at }) => at < moment);
    assert.ok(
      acknowledgedBefore.some(({ at }) => at > copyingSince),
      "no write was acknowledged during the copy",
    );
    const restored = await start(target);
    const restoredRows = new Set((await query(restored.url, "select n from acknowledged")).flat());
    assert.deepEqual(
      acknowledgedBefore.filter(({ n }) => !restoredRows.has(n)),
      [],
    );
    const log = await readFile(join(target, "postgres/postgres.log"), "utf8");
    assert.doesNotMatch(log, /ERROR|FATAL|PANIC/);
    await query(restored.url, "insert into acknowledged values (-1, 'written after the restore')");
    await restored.stop();

    assert.deepEqual(await query(postgres.url, "select count(*)::int from acknowledged"), [
      [acknowledged.length],
    ]);
    await Promise.all([writer.end(), checkpointer.end()]);
  },
);

test("if no Postgres is running, the backup starts one and stops it afterwards", async () => {
  const first = await start(directory);
  await query(first.url, "create table marked as select 7 as n");
  await first.stop();
  await mkdir(target);
  await backUp();
  await assert.rejects(query(first.url, "select 1"), { code: "ENOENT" });

  const restored = await start(target);
  assert.notEqual(restored.url, first.url);
  assert.deepEqual(await query(restored.url, "select n from marked"), [[7]]);
  await restored.stop();
});

test("a backup has the same owner as the database, and other users cannot read it", async () => {
  await backUp();
  assert.deepEqual(await readdir(home), ["backup", "data"]);
  assert.deepEqual(await readdir(target), ["backup.json", "manifest.json", "postgres"]);
  assert.deepEqual(await readdir(join(target, "postgres")), ["data", "password"]);
  for (const path of ["data", "data/PG_VERSION", "data/base", "data/pg_wal", "password"]) {
    const [original, copy] = await Promise.all(
      [directory, target].map((one) => stat(join(one, "postgres", path))),
    );
    assert.deepEqual([copy?.uid, copy?.gid], [original?.uid, original?.gid], path);
    assert.equal((copy?.mode ?? 0) & 0o077, 0, path);
  }
  assert.equal((await stat(target)).mode & 0o777, 0o700);
});

test("an aborted backup leaves no files, and Postgres continues", async () => {
  const postgres = await startElsewhere();
  const stopping = new AbortController();
  const abort = () => stopping.abort(new Error("enough"));
  await assert.rejects(backUp({ signal: stopping.signal, log: abort }), /^Error: enough$/);
  assert.deepEqual(await readdir(home), ["data"]);
  // The session that held the slots ends asynchronously.
  const stored = "select count(*)::int from pg_replication_slots";
  while (String(await query(postgres.url, stored)) !== "0");

  await backUp();
  assert.deepEqual(await readdir(home), ["backup", "data"]);
});

test("a backup fails with an error message when Postgres stops", async () => {
  const postgres = await startElsewhere();
  const crash = () => process.kill(postgres.pid, "SIGQUIT");
  await assert.rejects(backUp({ log: (line) => void (/^Copying/.test(line) && crash()) }), {
    message: "Postgres stopped during the backup. Run the backup again.",
  });
  assert.deepEqual(await readdir(home), ["data"]);
});

test("a backup that lacks a file, or a part of one, is not restored", async () => {
  const postgres = await start(directory);
  await query(
    postgres.url,
    "create table paid as select n, repeat('florin ', 100) from generate_series(1, 1000) n",
  );
  await query(postgres.url, "checkpoint");
  const [[file]] = (await query(postgres.url, "select pg_relation_filepath('paid')")) as [[string]];
  await postgres.stop();
  await backUp();
  const copy = join(home, "copy");
  const restored = join(home, "restored");
  let logged: string[] = [];
  const restore = () =>
    restoreEmbeddedPostgres({
      backup: copy,
      directory: restored,
      target: { kind: "backup" },
      walArchive: null,
      signal: new AbortController().signal,
      log: (line) => void logged.push(line),
    });
  const paid = `postgres/data/${file}`;
  const label = "postgres/data/backup_label";
  const remove = (path: string) => rm(path, { recursive: true });
  const shorten = (path: string) => truncate(path, 100);
  const change = (path: string) => writeAt(path, "!", 20);
  const damages = [
    ["paid-file has 100 bytes instead of", paid, shorten],
    ["paid-file is missing", paid, remove],
    ["backup_label is missing", label, remove],
    ["global/pg_control is missing", "postgres/data/global/pg_control", remove],
    ["pg_wal/[0-9A-F]{24} is missing", "postgres/data/pg_wal", remove],
    ["postgres/password is missing", "postgres/password", remove],
    ["backup.json is not valid JSON", "backup.json", shorten],
    ["manifest.json is missing", "manifest.json", remove],
    ["manifest.json has different content", "manifest.json", change],
    ["paid-file has different content", paid, change],
    ["postgres/password has different content", "postgres/password", change],
  ] as const;
  for (const [problem, path, damage] of damages) {
    logged = [];
    await cp(target, copy, { recursive: true, preserveTimestamps: true });
    await damage(join(copy, path));
    await assert.rejects(restore(), (error: Error) => {
      assert.ok(error instanceof StartupError, String(error));
      assert.match(
        error.message.replace(file, "paid-file"),
        new RegExp(`is damaged or was not copied completely: the file (\\S+/)?${problem}`),
      );
      return true;
    });
    // The restore detects changed content only after it has begun to copy. It detects all other damage before.
    assert.equal(logged.length, damage === change && path !== "manifest.json" ? 1 : 0, problem);
    assert.deepEqual(await readdir(restored), []);
    await rm(copy, { recursive: true });
  }

  await cp(target, copy, { recursive: true });
  // Postgres renames the label when it starts.
  await rename(join(copy, label), join(copy, `${label}.old`));
  await assert.rejects(
    restore(),
    /^StartupError: Postgres was started on \S+, so it is no longer a backup\./,
  );
  await rm(copy, { recursive: true });
  await rm(restored, { recursive: true });
});

async function writeAt(path: string, text: string, position: number): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(text, position);
}

test("a backup deletes what killed backups with other names have left beside it, but nothing that may be in use", async () => {
  const { pid: dead } = spawnSync("true");
  const beside = async (name: string, part: string) => {
    await mkdir(join(home, name, part), { recursive: true });
    await writeFile(join(home, name, part, "file"), "");
    return name;
  };
  const killed = await beside(`monday.partial-${dead}`, "postgres/data");
  const kept = [
    await beside(`running.partial-${process.ppid}`, "postgres"),
    await beside(`other.partial-${dead}`, "photos"),
    await beside("tuesday.partial-copy", "postgres"),
  ];
  const remaining = async () =>
    (await readdir(home)).filter((name) => name.includes("partial")).sort();
  const hour = 60 * 60 * 1000;
  const later = (ms: number) => ({ now: () => new Date(systemClock.now().getTime() + ms) });
  await backUp({ clock: later(11 * hour) });
  assert.deepEqual(await remaining(), [killed, ...kept].sort(), "another machine may write to it");
  await rm(target, { recursive: true });

  const lines: string[] = [];
  await backUp({ clock: later(13 * hour), log: (line) => lines.push(line) });
  assert.deepEqual(await remaining(), [...kept].sort());
  assert.ok(
    lines.includes(`Deleted ${join(home, killed)}, which an interrupted backup had left.`),
    lines.join("\n"),
  );
  for (const name of kept) await rm(join(home, name), { recursive: true });
});

test("tablespaces are rejected, because a restored copy would write into the original's", async () => {
  const postgres = await startElsewhere();
  const client = await connect(postgres.url);
  await client.query("set allow_in_place_tablespaces = on");
  await client.query("create tablespace elsewhere location ''");
  await assert.rejects(backUp(), /has tablespaces \(elsewhere\)/);
  await client.query("drop tablespace elsewhere");
  await client.end();
});

test("a backup is rejected when there is no database, or when its target is inside the database", async () => {
  const nowhere = join(home, "nowhere");
  const { signal } = new AbortController();
  const log = assert.fail;
  await assert.rejects(backUpEmbeddedPostgres({ directory: nowhere, target, signal, clock, log }), {
    message: `${nowhere} does not contain a database. Set FLORIN_DATA or DATABASE_URL to the value that the service uses.`,
  });
  const within = join(directory, "postgres/data/backup");
  await assert.rejects(
    backUpEmbeddedPostgres({ directory, target: within, signal, clock, log }),
    /must not be inside \S+, the directory of the database/,
  );
  assert.deepEqual(await readdir(home), ["data"]);
});
