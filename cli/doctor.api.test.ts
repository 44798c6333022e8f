import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "@florin/server/config.ts";
import { createTestDatabase, urlOfDatabase } from "@florin/server/test/database.ts";
import { endChild, hasExited } from "@florin/server/test/end-child.ts";
import pg from "pg";
import { runChecks } from "./checks/check.ts";
import { checksBeforeStart } from "./checks/checks.ts";
import { settingChecks } from "./checks/setting-checks.ts";

const florin = join(import.meta.dirname, "florin.ts");

let home: string;
let child: ChildProcess | null = null;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "florin-doctor-"));
});
afterEach(async () => {
  if (child) await endChild(child);
  child = null;
  await rm(home, { recursive: true });
});

type Environment = Readonly<Record<string, string>>;

/** Returns the findings for these settings, such as `demo: failed`. */
async function findings(environment: Environment): Promise<string[]> {
  const config = readConfig({ FLORIN_DATA: join(home, "data"), ...environment });
  const context = {
    config,
    environment,
    uid: 1000,
    installation: resolve(import.meta.dirname, ".."),
  };
  const results = await runChecks(checksBeforeStart, context);
  return results
    .filter(({ status }) => status !== "ok")
    .map(({ check, status }) => `${check}: ${status}`);
}

const https = "https://pay.example.com";
/** The settings of a service that follows docs/operating/production.md. */
const production: Environment = {
  NODE_ENV: "production",
  FLORIN_PUBLIC_URL: https,
  FLORIN_TRUSTED_PROXIES: "127.0.0.0/8",
  FLORIN_SMTP_URL: "smtp://mail.example.com",
  FLORIN_KEYS: "/nowhere/keys",
};

test("doctor reports no problem in a developer's default settings", async () => {
  assert.deepEqual(await findings({}), []);
  assert.deepEqual(await findings({ FLORIN_RATE_LIMIT: "off", FLORIN_LOG: "silent" }), []);
});

test("each unsafe setting is reported separately, and rejected where it is never intended", async () => {
  const { NODE_ENV, ...served } = production;
  for (const [expected, environment] of [
    [[], served],
    ["unknown-settings: warning", { ...served, FLORIN_LOG_LEVEL: "debug" }],
    ["demo: failed private-webhooks: warning", { ...served, FLORIN_DEMO: "on" }],
    ["public-url: warning", { ...served, FLORIN_PUBLIC_URL: "http://pay.example.com" }],
    ["trusted-proxies: warning", { ...served, FLORIN_TRUSTED_PROXIES: "off" }],
    ["trusted-proxies: failed", { ...served, FLORIN_TRUSTED_PROXIES: "0.0.0.0/0" }],
    ["trusted-proxies: failed", { ...served, FLORIN_TRUSTED_PROXIES: "10.0.0.0/8,::/0" }],
    ["rate-limit: warning", { ...served, FLORIN_RATE_LIMIT: "off" }],
    [[], { ...served, FLORIN_ACQUIRERS: "sandbox" }],
    ["private-webhooks: warning", { ...served, FLORIN_PRIVATE_WEBHOOKS: "on" }],
    ["mail: warning", { ...served, FLORIN_SMTP_URL: "" }],
    ["mail-tls: warning", { ...served, FLORIN_SMTP_TLS: "off" }],
    [[], { ...served, FLORIN_SMTP_TLS: "off", FLORIN_SMTP_URL: "smtp://127.0.0.1:25" }],
    [
      "database-tls: warning",
      { ...served, FLORIN_DATABASE_TLS: "off", DATABASE_URL: "postgres://db.internal/florin" },
    ],
    ["metrics: warning", { ...served, METRICS_PORT: "0", METRICS_HOST: "0.0.0.0" }],
    ["log: warning", { ...served, FLORIN_LOG: "silent" }],
    ["certificates: failed", { NODE_TLS_REJECT_UNAUTHORIZED: "0" }],
    ["debugger: failed", { ...served, NODE_OPTIONS: "--inspect=0.0.0.0" }],
    ["public-url: warning mail: warning", { HOST: "0.0.0.0", FLORIN_KEYS: "/nowhere" }],
    [
      "demo: warning demo-shop: warning public-url: warning private-webhooks: warning keys-directory: warning",
      { HOST: "0.0.0.0", SHOP_HOST: "0.0.0.0", FLORIN_DEMO: "on" },
    ],
  ] as const) {
    const found = await findings(environment as Environment);
    assert.deepEqual(found.join(" "), String(expected), JSON.stringify(environment));
  }
  const strict = await findings({
    ...production,
    FLORIN_DEMO: "on",
    FLORIN_PUBLIC_URL: "http://pay.example.com",
    FLORIN_RATE_LIMIT: "off",
    FLORIN_ACQUIRERS: "sandbox",
  });
  for (const expected of [
    "demo: failed",
    "public-url: failed",
    "rate-limit: failed",
    "acquirers: warning",
  ]) {
    assert.ok(strict.includes(expected), expected);
  }
});

test("this file tests every outcome of a settings check", async () => {
  const text = await readFile(import.meta.filename, "utf8");
  for (const { name } of settingChecks) assert.ok(text.includes(`${name}: `), name);
});

test("a data directory that other users can write and keys that other users can read are rejected", async () => {
  const data = join(home, "data");
  const keys = join(data, "keys");
  await mkdir(keys, { recursive: true, mode: 0o700 });
  await chmod(data, 0o755);
  await writeFile(join(keys, "test.1.key"), Buffer.alloc(32), { mode: 0o600 });
  assert.deepEqual(await findings({}), []);
  await chmod(data, 0o775);
  assert.deepEqual(await findings({}), ["data-directory: failed"]);
  await chmod(data, 0o700);
  await chmod(join(keys, "test.1.key"), 0o640);
  assert.deepEqual(await findings({}), ["keys-directory: failed"]);
  await chmod(join(keys, "test.1.key"), 0o600);
  await chmod(keys, 0o750);
  assert.deepEqual(await findings({}), ["keys-directory: failed"]);

  const file = join(home, "a-file");
  await writeFile(file, "", { mode: 0o600 });
  assert.deepEqual(await findings({ FLORIN_KEYS: file }), ["keys-directory: failed"]);
});

/**
 * The only settings that the commands get from the environment of the test. Node's compile cache saves each command from
 * parsing TypeScript again.
 */
const { PATH, NODE_COMPILE_CACHE } = process.env;

function run(arguments_: readonly string[], environment: Environment) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [florin, ...arguments_], {
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
    env: { PATH, NODE_COMPILE_CACHE, FLORIN_DATA: join(home, "data"), ...environment },
  });
  return { status, stdout, stderr };
}

test("a start that would serve the demo on a public address is rejected with the fix, and creates no files", async () => {
  const { status, stderr } = run(["start"], { FLORIN_DEMO: "on", FLORIN_PUBLIC_URL: https });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^Cannot start \(demo\): FLORIN_DEMO=on, and either NODE_ENV=production .* Set FLORIN_DEMO=off\. .*\n$/,
  );
  await assert.rejects(stat(join(home, "data")), /ENOENT/, "nothing was created");
});

test("doctor prints one line per check and fails when the server would not start", () => {
  const fine = run(["doctor"], {});
  assert.equal(fine.status, 0, fine.stderr);
  assert.match(fine.stdout, /^ok +demo /m);
  assert.match(fine.stdout, /^0 failed, 0 warnings\./m);

  const failing = run(["doctor", "--json"], { FLORIN_DEMO: "on", NODE_ENV: "production" });
  assert.equal(failing.status, 1);
  const { failed, checks } = JSON.parse(failing.stdout);
  assert.equal(failed, 1);
  const demo = checks.find(({ check }: { check: string }) => check === "demo");
  assert.equal(demo.status, "failed");
  assert.match(demo.fix, /^Set `FLORIN_DEMO=off`\./);

  const misspelled = run(["doctor"], { FLORIN_DEM0: "off" });
  assert.equal(misspelled.status, 1);
  assert.match(misspelled.stdout, /^failed +settings +The setting FLORIN_DEM0 does not exist/m);
  const unknown = run(["doctor"], { FLORIN_LOG_LEVEL: "debug", FLORIN_SERVICE_HOST: "10.0.0.1" });
  assert.equal(unknown.status, 0);
  assert.match(unknown.stdout, /^warning +unknown-settings +.*: FLORIN_LOG_LEVEL$/m);
  const weak = { DATABASE_URL: "postgres://db.internal/florin?sslmode=disable" };
  assert.match(run(["doctor"], weak).stdout, /^failed +settings +DATABASE_URL must have sslmode/m);
  const unusedPort = { DATABASE_URL: "postgres://florin:secret@127.0.0.1:2/florin" };
  const unreachable = run(["doctor"], unusedPort);
  assert.equal(unreachable.status, 1);
  assert.match(
    unreachable.stdout,
    /^failed +database +Postgres does not listen at 127\.0\.0\.1:2/m,
  );
  assert.doesNotMatch(unreachable.stdout, /secret/);
});

/** Creates a database and connects to it. Closes the connection and drops the database after the test. */
async function connectToTestDatabase(t: TestContext) {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  return { database, client };
}

test("doctor rejects a newer database, a Postgres that can lose commits, and keys that do not match the database", async (t) => {
  const { database, client } = await connectToTestDatabase(t);
  const environment = {
    ...production,
    DATABASE_URL: database.url,
    FLORIN_KEYS: join(home, "keys"),
  };
  assert.match(run(["doctor"], environment).stdout, /^ok +keys /m);
  await client.query("insert into migrations (name, checksum) values ('9999_later.sql', '')");
  const returned = run(["doctor"], environment);
  assert.equal(returned.status, 1);
  assert.match(returned.stdout, /^failed +migrations +A newer version .* 9999_later\.sql\./m);
  await client.query("delete from migrations where name = '9999_later.sql'");

  const name = new URL(database.url).pathname.slice(1);
  await client.query(`alter database ${name} set synchronous_commit = off`);
  await client.query(
    "insert into key_checks (key_id, livemode, kind, check_value, registered_at) values ('test.1', false, 'encryption', '\\x00', now())",
  );
  const { status, stdout } = run(["doctor"], environment);
  assert.equal(status, 1);
  assert.match(stdout, /^failed +database-durability +.* synchronous_commit$/m);
  assert.match(
    stdout,
    /^failed +keys +The key test\.1 is missing: .*test\.1\.key does not exist\./m,
  );
  assert.match(stdout, /^warning +database-role +.*: florin$/m);
  assert.match(stdout, /^ok +clock /m);
});

test("doctor warns if Postgres's clock differs from this machine's", async (t) => {
  const { database, client } = await connectToTestDatabase(t);
  const name = new URL(database.url).pathname.slice(1);
  await client.query(`
    create schema wrong;
    create function wrong.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() - interval '1 hour' $$;
    alter database ${name} set search_path = wrong, pg_catalog, public`);
  const { status, stdout } = run(["doctor"], {
    FLORIN_DATA: join(home, "data"),
    DATABASE_URL: database.url,
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^warning +clock +.*: this machine's clock is 36\d\d s ahead$/m);
});

test("commands explain a database without tables, and doctor and start reject its encoding", async (t) => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const name = `${new URL(database.url).pathname.slice(1)}_ascii`;
  await client.query(`create database ${name} template template0 encoding 'SQL_ASCII' locale 'C'`);
  t.after(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
    await database.drop();
  });
  const environment = {
    DATABASE_URL: urlOfDatabase(database.url, name),
    FLORIN_KEYS: join(home, "keys"),
    FLORIN_DATA: join(home, "data"),
  };
  const doctor = run(["doctor"], environment);
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout, /^failed +database-encoding +.* not UTF8: SQL_ASCII$/m);
  const start = run(["start"], { ...environment, FLORIN_DEMO: "off", PORT: "0" });
  assert.equal(start.status, 1);
  assert.match(start.stderr, /^The database in DATABASE_URL has the encoding SQL_ASCII\. .*\n$/m);
  for (const command of ["verify", "rotate-keys"]) {
    const { status, stderr } = run([command], environment);
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^The database has no tables of Florin\. If the database is new, start Florin, .*\n$/,
    );
  }
});

test("a start that fails with open connections and running timers exits with code 1", async (t) => {
  const database = await createTestDatabase();
  const other = createServer().listen(0, "127.0.0.1");
  t.after(async () => {
    other.close();
    await database.drop();
  });
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = run(["start"], {
    ...{ DATABASE_URL: database.url, FLORIN_DEMO: "off", PORT: "0" },
    INTERNAL_PORT: String(port),
  });
  assert.match(stderr, new RegExp(`^Port ${port} is in use\\. .* INTERNAL_PORT `, "m"));
  assert.equal(status, 1);
});

test("Ctrl-C during the start of the server stops the server before the built-in Postgres", async () => {
  child = spawn(process.execPath, [florin, "start"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, FLORIN_DATA: join(home, "data") },
      ...{ FLORIN_DEMO: "off", PORT: "0" },
    },
  });
  // Unlike `exit`, `close` is emitted after all output was read.
  const closed = once(child, "close", { signal: AbortSignal.timeout(180_000) });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      const wasStarting = printed.includes("service.started");
      printed += text;
      // The server writes this audit entry before it listens.
      if (!wasStarting && printed.includes("service.started")) child?.kill("SIGINT");
    });
  }
  await closed;
  assert.match(printed, /"action":"service\.stopped"/);
  assert.doesNotMatch(printed, /"level":"(warn|error)"/);
});

test("with a public address the server starts without the demo, warns, and writes the operator's link to a file", async () => {
  const data = join(home, "data");
  child = spawn(process.execPath, [florin, "start"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, NODE_COMPILE_CACHE, FLORIN_DATA: data, PORT: "0", FLORIN_PUBLIC_URL: https },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  while (!printed.includes("operator-link")) {
    assert(!hasExited(child), printed);
    await sleep(50);
  }
  const ready = JSON.parse(await readFile(join(data, "ready.json"), "utf8"));
  assert.deepEqual([ready.shop_url, ready.test_secret_key], [null, null]);
  assert.match(printed, /^Warning \(trusted-proxies\): /m);
  assert.match(printed, /^Warning \(mail\): /m);

  const file = join(data, "operator-link");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const link = (await readFile(file, "utf8")).trim();
  assert.equal(link, ready.operator_setup_url);
  assert.ok(link.startsWith(`${https}/dashboard/operator/set-up#`));
  assert.ok(!printed.includes(link.split("#")[1] as string), "the link is not logged");

  const second = run(["start"], { FLORIN_DATA: data, PORT: "0", FLORIN_PUBLIC_URL: https });
  assert.equal(second.status, 1);
  assert.match(
    second.stderr,
    new RegExp(
      `^Another Florin process \\(PID ${child.pid}\\) uses the data directory ${data}\\. Stop it`,
      "m",
    ),
  );
});
