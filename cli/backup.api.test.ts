import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { idFromUuid } from "@florin/server/core/ids.ts";
import { startEmbeddedPostgres } from "@florin/server/platform/database/embedded.ts";
import { dayOf } from "@florin/server/reconciliation/day.ts";
import { seededRandom } from "@florin/server/test/simulation/seeded-random.ts";
import { dose, seed } from "@florin/server/test/test-size.ts";
import pg from "pg";

const florin = join(import.meta.dirname, "florin.ts");

let home: string;
let data: string;
let children: ChildProcess[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "florin-backup-"));
  data = join(home, "data");
  children = [];
});
afterEach(async () => {
  for (const child of children) await end(child);
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

type Ready = { readonly base_url: string; readonly test_secret_key: string };

/** Starts the service and returns what it wrote to its ready file. */
async function serve(directory: string, settings: NodeJS.ProcessEnv = {}): Promise<Ready> {
  const { child, ended } = run(["start"], { ...settings, FLORIN_DATA: directory });
  for (;;) {
    const text = await readFile(join(directory, "ready.json"), "utf8").catch(() => null);
    if (text) return JSON.parse(text);
    if (child.exitCode !== null) assert.fail(JSON.stringify(await ended));
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function api(url: string, key: string, path: string, body?: object) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { id: string; status: string };
}

/** The number of further moments to which the test restores. */
const furtherMoments = dose("moments", { short: 0, long: 30 });

type Report = {
  readonly differences: readonly { kind: string; status: string; reference: string }[];
};

/** Runs a statement on the database of a stopped service. */
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

/** Copies the simulator's ledger, because a real acquirer's records do not change when Florin's database is restored. */
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

test("a backup restores to any moment since then: with every charge acknowledged before it, and none requested after it", async (t) => {
  const archive = { FLORIN_WAL_ARCHIVE: join(home, "it's the wal archive") };
  const { base_url, test_secret_key: key } = await serve(data, archive);
  const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const charges: { id: string; requested: number; acknowledged: number }[] = [];
  let charging = true;
  const charge = async () => {
    const requested = Date.now();
    const { id } = await api(base_url, key, "/charges", visa);
    charges.push({ id, requested, acknowledged: Date.now() });
  };
  const clients = [1, 2].map(async () => {
    while (charging) await charge();
  });
  const target = join(home, "2026-01-31");
  const created = await run(["backup", target], archive).ended;
  assert.equal(created.status, 0, created.stderr);
  const before = charges.length;
  const further = 40 * furtherMoments;
  while (charges.length < before + further + 20) await sleep(1);
  const moment = Date.now();
  while (charges.length < before + further + 40) await sleep(1);
  charging = false;
  await Promise.all(clients);

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

  // A stop archives the rest of the log.
  for (const child of children) await end(child);
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

  const to = `--to=${new Date(moment).toISOString()}`;
  const restoring = await run(["restore", target, to], elsewhere).ended;
  assert.equal(restoring.status, 0, restoring.stderr);
  assert.match(
    restoring.stderr,
    /^Copying \d+ MB of the backup\.\nApplying the archived log, \d+ segments of 16 MB\.\n$/,
  );
  assert.match(
    restoring.stdout,
    new RegExp(`acknowledged before ${new Date(moment).toISOString()}\\.`),
  );
  assert.deepEqual(await readdir(elsewhere.FLORIN_DATA), ["postgres"]);

  const verified = await run(["verify"], elsewhere).ended;
  assert.equal(verified.status, 0, verified.stdout);
  assert.match(verified.stdout, /^No violations/m);
  await copySimulatorLedger(data, elsewhere.FLORIN_DATA);
  const missing = new Set<string>();
  for (const day of new Set(charges.map(({ requested }) => dayOf(new Date(requested))))) {
    const reconciled = await run(["reconcile", "--day", day, "--json"], elsewhere).ended;
    assert.equal(reconciled.status, 1, reconciled.stderr);
    for (const { differences } of JSON.parse(reconciled.stdout) as Report[]) {
      for (const { kind, status, reference } of differences) {
        if (kind === "missing_here" && status === "open") missing.add(reference);
      }
    }
  }
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
  assert.deepEqual([...missing].sort(), unknown.sort());

  // The restored database archives its log apart from the log of the lost database.
  assert.equal((await readdir(archive.FLORIN_WAL_ARCHIVE)).length, 2);
  assert.equal((await api(restored.base_url, key, "/charges", visa)).status, "succeeded");
  assert.ok(lastCharge > moment);

  const random = seededRandom(seed);
  const lastRequest = Math.max(...charges.map(({ requested }) => requested));
  for (let number = 0; number < furtherMoments; number++) {
    const from = Date.parse(backedUp) + 1;
    const moment = random.between(from, lastRequest);
    const directory = join(home, "further");
    const began = performance.now();
    const restoring = await run(["restore", target, "--to", new Date(moment).toISOString()], {
      ...elsewhere,
      FLORIN_DATA: directory,
    }).ended;
    assert.equal(restoring.status, 0, restoring.stderr);
    const seconds = (performance.now() - began) / 1000;
    const rows = await onDatabase(directory, "select id, status from charges");
    const found = new Map<string, unknown>(
      rows.map(({ id, status }) => [idFromUuid("ch", id as string), status]),
    );
    const { kept, lost } = at(moment);
    for (const { id } of kept) assert.equal(found.get(id), "succeeded", `${id} at ${moment}`);
    for (const { id } of lost) assert.equal(found.get(id), undefined, `${id} at ${moment}`);
    t.diagnostic(`restored ${kept.length} of ${charges.length} charges in ${seconds.toFixed(1)} s`);
    await rm(directory, { recursive: true });
  }
});

test("a backup that cannot start prints one error message and changes nothing", async () => {
  const missing = await run(["backup"]).ended;
  const where = "The directory is missing. Run: florin backup DIRECTORY.\n";
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
