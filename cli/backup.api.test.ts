import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  statfs,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { idFromUuid } from "@florin/server/core/ids.ts";
import { startEmbeddedPostgres } from "@florin/server/platform/database/embedded.ts";
import { clusterIn } from "@florin/server/platform/database/embedded-cluster.ts";
import { isPostmaster } from "@florin/server/platform/database/embedded-postmaster.ts";
import { endChild, hasExited } from "@florin/server/test/end-child.ts";
import { seededRandom } from "@florin/server/test/simulation/seeded-random.ts";
import { dose, seed } from "@florin/server/test/test-size.ts";
import pg from "pg";

const florin = join(import.meta.dirname, "florin.ts");

let home: string;
let data: string;
let children: ChildProcess[];
/** The disk that the current test has mounted. Null if it has mounted none. */
let mounted: string | null;
beforeEach(async () => {
  mounted = null;
  home = await mkdtemp(join(tmpdir(), "florin-backup-"));
  data = join(home, "data");
  children = [];
});
afterEach(async () => {
  for (const child of children) await endChild(child);
  if (mounted) spawnSync("umount", ["-l", mounted]);
  await rm(home, { recursive: true });
});

function run(arguments_: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [florin, ...arguments_], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      FLORIN_DATA: data,
      PORT: "0",
      SHOP_PORT: "0",
      FLORIN_RATE_LIMIT: "off",
      FLORIN_LOG: "silent",
      ...settings,
    },
  });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, "close").then(([status]) => ({ status, ...output }));
  return { child, ended };
}

type Ready = {
  readonly base_url: string;
  readonly test_secret_key: string;
  readonly metrics_url: string;
};

/** Starts the service and returns what it wrote to its ready file. */
async function serve(directory: string, settings: NodeJS.ProcessEnv = {}): Promise<Ready> {
  const { child, ended } = run(["start"], { ...settings, FLORIN_DATA: directory });
  for (;;) {
    const text = await readFile(join(directory, "ready.json"), "utf8").catch(() => null);
    if (text) return JSON.parse(text);
    if (hasExited(child)) assert.fail(JSON.stringify(await ended));
    await sleep(50);
  }
}

async function api(url: string, key: string, path: string, body?: object) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { id: string; status: string };
}

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** The number of random moments to which the test restores, in addition to the fixed ones. */
const furtherMoments = dose("moments", { short: 0, long: 30 });

/** Skips the tests with many restores and failures, except under `npm run prove`. */
const long = { skip: furtherMoments === 0 && "runs under npm run prove" };

type Report = {
  readonly differences: readonly { kind: string; status: string; reference: string }[];
};

/** Runs a statement on the database of a service, and starts Postgres for it if the service is stopped. */
async function onDatabase(
  directory: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const postgres = await startEmbeddedPostgres({ directory, log: () => undefined });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(statement, values).finally(() => client.end());
  await postgres.stop();
  return rows;
}

async function chargesIn(directory: string): Promise<Set<string>> {
  const rows = await onDatabase(directory, "select id from charges where status = 'succeeded'");
  return new Set(rows.map(({ id }) => idFromUuid("ch", id as string)));
}

/** Copies the simulator's ledger, because a restore of Florin's database does not change a real acquirer's records. */
async function copySimulatorLedger(from: string, to: string): Promise<void> {
  const ledger = await onDatabase(
    from,
    "select to_jsonb(a) as row from simulator.authorizations a",
  );
  await onDatabase(
    to,
    `insert into simulator.authorizations
     select * from jsonb_populate_recordset(null::simulator.authorizations, $1) on conflict do nothing`,
    [JSON.stringify(ledger.map(({ row }) => row))],
  );
}

test("a backup restores to any later moment, with every charge acknowledged before that moment and none requested after it", async (t) => {
  const archive = { FLORIN_WAL_ARCHIVE: join(home, "it's the wal archive") };
  const { base_url, test_secret_key: key } = await serve(data, archive);
  const charges: { id: string; requested: number; acknowledged: number }[] = [];
  let charging = true;
  const charge = async () => {
    const requested = Date.now();
    const { id } = await api(base_url, key, "/charges", visa);
    charges.push({ id, requested, acknowledged: Date.now() });
  };
  const clients = Promise.all(
    [1, 2].map(async () => {
      while (charging) await charge();
    }),
  );
  // If an assertion fails, the hook stops the service, and the clients then fail too.
  clients.catch(() => undefined);
  const untilCharged = async (count: number) => {
    while (charges.length < count) await Promise.race([sleep(1), clients]);
  };
  const target = join(home, "2026-01-31");
  const created = await run(["backup", target], archive).ended;
  assert.equal(created.status, 0, created.stderr);
  const backupEnded = Date.now();
  const before = charges.length;
  const further = 40 * furtherMoments;
  await untilCharged(before + further + 20);
  const moment = Date.now();
  await untilCharged(before + further + 40);
  charging = false;
  await clients;

  const keys = join(data, "keys");
  const backedUp = /before (\S+Z)\.$/m.exec(created.stdout)?.[1] as string;
  assert.match(
    created.stderr,
    /^Copying \d+ MB of the database\.\nDeleted 0 old files of the archived log\.\n$/,
  );
  assert.equal(
    created.stdout.replace(/\d+ MB/, "46 MB"),
    `${target} contains the database: 46 MB, with everything that was acknowledged before ${backedUp}.
To restore the backup to another data directory:
  FLORIN_DATA=/path/to/empty npm run florin restore ${target}

The backup does not include the keys in ${keys}. Back up the keys too, in another place.
Without the keys, Florin cannot decrypt stored cards or recognize API keys.
`,
  );

  const doctor = await run(["doctor", "--json"], archive).ended;
  const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; status: string }[] };
  assert.equal(checks.find(({ check }) => check === "wal-archive")?.status, "ok", doctor.stdout);

  // Stopping the service archives the rest of the log.
  for (const child of children) await endChild(child);
  const elsewhere = { ...archive, FLORIN_DATA: join(home, "restored"), FLORIN_KEYS: keys };
  const refused = async (moment: string, settings: NodeJS.ProcessEnv = elsewhere) => {
    const { status, stdout, stderr } = await run(["restore", target, moment], settings).ended;
    assert.deepEqual([status, stdout], [1, ""]);
    return stderr;
  };
  const range = `covers ${backedUp} to \\S+Z\\. Choose a time in this range`;
  assert.match(await refused("--to=2026-01-31T00:00:00Z"), new RegExp(range));
  const lastCharge = Math.max(...charges.map(({ acknowledged }) => acknowledged));
  assert.match(await refused("--to=2099-01-31T00:00:00+01:00"), new RegExp(range));
  assert.match(await refused("--to=2026-01-31 00:00"), /^--to must be a time with a time zone/);
  assert.match(
    await refused("--latest", { ...elsewhere, FLORIN_DATA: data }),
    /postgres exists\. /,
  );
  assert.match(
    await refused("--latest", { ...elsewhere, FLORIN_WAL_ARCHIVE: "" }),
    /^FLORIN_WAL_ARCHIVE is not set\./,
  );

  // The restore compares the lengths of the files with the free space, so a sparse file is enough to exceed the space.
  // The file is as long as the whole file system, because other tests can free space before the comparison.
  const { blocks, bsize } = await statfs(home);
  const huge = join(target, "postgres/data/base/huge");
  await writeFile(huge, "");
  await truncate(huge, blocks * bsize);
  assert.match(
    await refused("--latest"),
    /^The restore needs \d+ MB, but the disk of \S+ has \d+ MB left\. .* set FLORIN_DATA /,
  );
  await rm(huge);
  const label = join(target, "postgres/data/backup_label");
  await rename(label, `${label}.old`);
  assert.match(
    await refused("--latest"),
    /^Postgres was started on \S+, so it is no longer a backup\. /,
  );
  await rename(`${label}.old`, label);
  assert.deepEqual(await readdir(elsewhere.FLORIN_DATA), []);

  const to = `--to=${new Date(moment).toISOString()}`;
  const restoring = await run(["restore", target, to], elsewhere).ended;
  assert.equal(restoring.status, 0, restoring.stderr);
  assert.match(
    restoring.stderr,
    /^Copying \d+ MB of the backup\.\nApplying the archived log, \d+ segments of 16 MB\.\n(Recovering\. \d+ segments are applied\.\n)*$/,
  );
  assert.match(
    restoring.stdout,
    new RegExp(`acknowledged before ${new Date(moment).toISOString()}\\.`),
  );
  assert.deepEqual(await readdir(elsewhere.FLORIN_DATA), ["postgres"]);

  // The option is set because the deliveries that were pending at the restored moment are overdue if the restore took
  // long.
  const verified = await run(["verify", "--stuck-after", "86400"], elsewhere).ended;
  assert.equal(verified.status, 0, verified.stdout);
  assert.match(verified.stdout, /^No violations/m);
  await copySimulatorLedger(data, elsewhere.FLORIN_DATA);
  const reconciled = await run(["reconcile", "--since-restore", "--json"], elsewhere).ended;
  assert.equal(reconciled.status, 1, reconciled.stderr);
  const missing = (JSON.parse(reconciled.stdout) as Report[])
    .flatMap(({ differences }) => differences)
    .filter(({ kind, status }) => kind === "missing_here" && status === "open")
    .map(({ reference }) => reference);
  const restored = await serve(elsewhere.FLORIN_DATA, {
    ...elsewhere,
    FLORIN_DEMO: "off",
    FLORIN_WORKERS: "off",
  });
  const statusOf = async ({ id }: { id: string }) =>
    (await api(restored.base_url, key, `/charges/${id}`)).status;
  const at = (moment: number) => ({
    kept: charges.filter(({ acknowledged }) => acknowledged < moment),
    lost: charges.filter(({ requested }) => requested > moment),
  });
  const { kept, lost } = at(moment);
  assert.ok(kept.length >= 20 && lost.length >= 10, `${kept.length} kept, ${lost.length} lost`);
  for (const one of kept) assert.equal(await statusOf(one), "succeeded", one.id);
  for (const one of lost) assert.equal(await statusOf(one), undefined, one.id);
  // The reconciliation lists exactly the charges that the acquirer has executed and the restored database lacks.
  const unknown: string[] = [];
  for (const one of charges) if ((await statusOf(one)) === undefined) unknown.push(one.id);
  assert.deepEqual(missing.sort(), unknown.sort());

  // The restored database archives its log separately from the log of the lost database.
  assert.equal((await readdir(archive.FLORIN_WAL_ARCHIVE)).length, 2);
  assert.equal((await api(restored.base_url, key, "/charges", visa)).status, "succeeded");
  assert.ok(lastCharge > moment);

  const random = seededRandom(seed);
  const lastRequest = Math.max(...charges.map(({ requested }) => requested));
  const from = Date.parse(backedUp) + 1;
  const restores = Array.from({ length: furtherMoments }, () => {
    const moment = random.between(from, lastRequest);
    const recorded = [moment, moment];
    return { moment: ["--to", new Date(moment).toISOString()], recorded, ...at(moment) };
  });
  if (furtherMoments > 0) {
    const { kept } = at(Date.parse(backedUp));
    const { lost } = at(backupEnded);
    const recorded = [Date.parse(backedUp), Date.parse(backedUp)];
    restores.push({ moment: [], recorded, kept, lost });
    const latest = [lastRequest, Date.now()];
    restores.push({ moment: ["--latest"], recorded: latest, ...at(Date.now()) });
  }
  const figures = { lost: 0, fromAfter: 0, seconds: [] as number[] };
  for (const { moment, recorded, kept, lost } of restores) {
    const directory = join(home, "further");
    const began = performance.now();
    const restoring = await run(["restore", target, ...moment], {
      ...elsewhere,
      FLORIN_DATA: directory,
    }).ended;
    assert.equal(restoring.status, 0, restoring.stderr);
    const seconds = (performance.now() - began) / 1000;
    const rows = await onDatabase(directory, "select id, status from charges");
    const [restore] = await onDatabase(directory, "select restored_to from restores");
    const to = Number(restore?.restored_to);
    const [earliest = 0, latest = 0] = recorded;
    assert.ok(earliest <= to && to <= latest, `recorded ${to}, expected ${recorded}`);
    const found = new Map<string, unknown>(
      rows.map(({ id, status }) => [idFromUuid("ch", id as string), status]),
    );
    const missing = kept.filter(({ id }) => found.get(id) !== "succeeded");
    const fromAfter = lost.filter(({ id }) => found.has(id));
    t.diagnostic(
      `restored ${kept.length} of ${charges.length} charges (${moment.join(" ")}) in ${seconds.toFixed(1)} s: ` +
        `${missing.length} lost, ${fromAfter.length} from after the moment`,
    );
    figures.lost += missing.length;
    figures.fromAfter += fromAfter.length;
    figures.seconds.push(seconds);
    await rm(directory, { recursive: true });
  }
  if (restores.length > 0) {
    const sorted = figures.seconds.toSorted((a, b) => a - b);
    t.diagnostic(
      `${restores.length} restores: ${figures.lost} acknowledged charges lost, ${figures.fromAfter} from after the moment, ` +
        `median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} s, longest ${sorted.at(-1)?.toFixed(1)} s`,
    );
  }
  assert.deepEqual([figures.lost, figures.fromAfter], [0, 0]);
});

test("a killed restore leaves no database, and the next restore is complete", long, async () => {
  const archive = { FLORIN_WAL_ARCHIVE: join(home, "archive") };
  const { base_url, test_secret_key: key } = await serve(data, archive);
  const target = join(home, "backup");
  const created = await run(["backup", target], archive).ended;
  assert.equal(created.status, 0, created.stderr);
  const charged = new Set<string>();
  while (charged.size < 100) {
    const { id, status } = await api(base_url, key, "/charges", visa);
    // On an overloaded machine, the service rejects requests, or responds before the outcome is known.
    if (status === "succeeded") charged.add(id);
  }
  for (const child of children) await endChild(child);

  const directory = join(home, "restored");
  const restore = () =>
    run(["restore", target, "--latest"], { ...archive, FLORIN_DATA: directory });
  let isRunning = async () => false;
  // The first restore is killed while it copies files, and the second one while Postgres recovers.
  for (const reached of ["base", "postmaster.pid"]) {
    const { child, ended } = restore();
    const staging = `postgres.partial-${child.pid}`;
    while (
      !(await readdir(join(directory, staging, "data")).catch((): string[] => [])).includes(reached)
    ) {
      assert.equal(child.exitCode, null);
    }
    child.kill("SIGKILL");
    await ended;
    assert.deepEqual(await readdir(directory), [staging]);
    if (reached === "postmaster.pid") {
      const cluster = await clusterIn(join(directory, staging));
      const pid = Number.parseInt(await readFile(join(cluster.data, "postmaster.pid"), "utf8"), 10);
      isRunning = () => isPostmaster(pid, cluster);
    }
  }
  assert.ok(await isRunning());
  const { status, stderr } = await restore().ended;
  assert.equal(status, 0, stderr);
  assert.ok(!(await isRunning()), "the Postgres of the killed restore still runs");
  assert.deepEqual(await readdir(directory), ["postgres"]);
  const restored = await chargesIn(directory);
  assert.deepEqual(
    [...charged].filter((id) => !restored.has(id)),
    [],
  );
});

function mount(...arguments_: string[]): void {
  const { status, stderr } = spawnSync("mount", arguments_, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

const onDisk = { skip: process.getuid?.() === 0 ? long.skip : "needs root, to mount a disk" };

test(
  "a service whose archive is full reports it, continues to charge, and archives everything after the repair",
  onDisk,
  async () => {
    const directory = join(home, "archive");
    const archive = { FLORIN_WAL_ARCHIVE: directory, METRICS_PORT: "0" };
    await mkdir(directory);
    mount("-t", "tmpfs", "-o", "size=256m", "tmpfs", directory);
    mounted = directory;
    const { base_url, test_secret_key: key, metrics_url } = await serve(data, archive);
    const target = join(home, "backup");
    const created = await run(["backup", target], archive).ended;
    assert.equal(created.status, 0, created.stderr);

    const charged = new Set<string>();
    /** Fills a segment of the write-ahead log, and creates charges until the metrics contain the line. */
    const chargeUntil = async (line: string) => {
      for (let filled = false; ; filled = true) {
        const { id, status } = await api(base_url, key, "/charges", visa);
        assert.equal(status, "succeeded");
        charged.add(id);
        if (!filled) await onDatabase(data, "select pg_switch_wal()");
        const metrics = await (await fetch(metrics_url)).text();
        if (metrics.split("\n").includes(line)) return;
        await sleep(100);
      }
    };
    const doctor = async () => {
      const { stdout } = await run(["doctor", "--json"], archive).ended;
      const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string }[] };
      return checks.find(({ check }) => check === "wal-archive")?.status;
    };
    const filler = join(directory, "filler");
    const { bavail, bsize } = await statfs(directory);
    await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined);
    await chargeUntil("florin_wal_archive_failing 1");
    assert.equal(await doctor(), "warning");
    await rm(filler);
    await chargeUntil("florin_wal_archive_failing 0");
    assert.equal(await doctor(), "ok");

    for (const child of children) await endChild(child);
    const restored = join(home, "restored");
    const { status, stderr } = await run(["restore", target, "--latest"], {
      ...archive,
      FLORIN_DATA: restored,
    }).ended;
    assert.equal(status, 0, stderr);
    assert.deepEqual(await chargesIn(restored), charged);
  },
);

test("a backup that cannot start prints one error message and changes nothing", async () => {
  const missing = await run(["backup"]).ended;
  const where = "Specify the directory for the backup. Run: florin backup DIRECTORY.\n";
  assert.deepEqual(missing, { status: 1, stdout: "", stderr: where });

  const DATABASE_URL = "postgres://florin:secret@127.0.0.1:2/florin";
  const other = await run(["backup", join(home, "one")], { DATABASE_URL }).ended;
  assert.equal(other.status, 1);
  assert.match(
    other.stderr,
    /^'florin backup' copies only the built-in database, but DATABASE_URL is set\. .*\n$/,
  );

  const nothing = await run(["backup", join(home, "one")]).ended;
  assert.equal(
    nothing.stderr,
    `${data} does not contain a database. Set FLORIN_DATA or DATABASE_URL to the value that the service uses.\n`,
  );
  assert.deepEqual(await readdir(home), []);
});

test("Ctrl-C stops a backup immediately and removes its files, and a non-empty directory is left unchanged", async () => {
  await (await startEmbeddedPostgres({ directory: data, log: () => undefined })).stop();
  const { child, ended } = run(["backup", join(home, "one")]);
  child.stderr.once("data", () => {
    child.kill("SIGINT");
    child.kill("SIGINT");
  });
  const { status, stderr } = await ended;
  assert.equal(status, 1);
  assert.match(stderr, /\nSIGINT: the backup was canceled and its files were removed\.\n$/);
  assert.deepEqual(await readdir(home), ["data"]);

  const file = join(home, "thesis.txt");
  await writeFile(file, "the only copy");
  const full = await run(["backup", home]).ended;
  assert.equal(full.stderr, `${home} exists and is not empty. Choose another name.\n`);
  assert.equal(await readFile(file, "utf8"), "the only copy");
});
