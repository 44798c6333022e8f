import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedPostgres } from "@florin/server/platform/database/embedded.ts";

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

test("a backup made during charges restores to a working service with every charge acknowledged before the backup", async () => {
  const { base_url, test_secret_key: key } = await serve(data);
  const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const acknowledged: { id: string; at: number }[] = [];
  let charging = true;
  const charges = (async () => {
    while (charging) {
      const { id } = await api(base_url, key, "/charges", visa);
      acknowledged.push({ id, at: Date.now() });
    }
  })();
  const target = join(home, "2026-01-31");
  const created = await run(["backup", target]).ended;
  charging = false;
  await charges;
  assert.equal(created.status, 0, created.stderr);
  const moment = /before (\S+Z)\.$/m.exec(created.stdout)?.[1] as string;
  const acknowledgedBefore = acknowledged.filter(({ at }) => at < Date.parse(moment));
  assert.ok(acknowledgedBefore.length > 0 && acknowledged.length > acknowledgedBefore.length);

  const keys = join(data, "keys");
  assert.match(created.stderr, /^Copying \d+ MB of the database\.\n$/);
  assert.equal(
    created.stdout.replace(/\d+ MB/, "46 MB"),
    `${target} contains the database: 46 MB, with everything that was acknowledged before ${moment}.
To start Florin on the backup, or preferably on a copy of it:
  FLORIN_DATA=${target} FLORIN_KEYS=${keys} npm start

The backup does not include the keys in ${keys}. Back up the keys too, in another place.
Without the keys, Florin cannot decrypt stored cards or recognize API keys.
`,
  );

  const settings = { FLORIN_DATA: target, FLORIN_KEYS: keys };
  const verified = await run(["verify"], settings).ended;
  assert.equal(verified.status, 0, verified.stdout);
  assert.match(verified.stdout, /^No violations/m);
  const restored = await serve(target, { ...settings, FLORIN_DEMO: "off", FLORIN_WORKERS: "off" });
  for (const { id } of acknowledgedBefore) {
    const { status } = await api(restored.base_url, key, `/charges/${id}`);
    assert.equal(status, "succeeded", id);
  }
  assert.equal((await api(base_url, key, "/charges", visa)).status, "succeeded");
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
