import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { commandInDebian, debian, reasonToSkip } from "../../../test/failover/debian-tree.ts";
import { freePort } from "../../../test/free-port.ts";
import { retryWhileUnavailable } from "../../../test/simulation/retry-while-unavailable.ts";
import { connectDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";

const skip = reasonToSkip() ?? false;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** Starts pgBouncer in front of the test database. Its port is in `url`. */
async function startPooler(
  mode: "session" | "transaction",
): Promise<{ url: string; stop(): Promise<void> }> {
  const home = await mkdtemp(join(debian, "tmp/pooler-"));
  const postgres = new URL(database.url);
  const host = postgres.searchParams.get("host") ?? postgres.hostname;
  // The root directory of pgBouncer's process is a separate Debian directory, so it cannot reach a Unix socket of this
  // machine.
  const bridge = await forwardToSocket(host, postgres.searchParams.get("port") ?? postgres.port);
  const port = await freePort();
  const name = postgres.pathname.slice(1);
  await writeFile(join(home, "users"), `"florin" "${postgres.password}"\n`);
  await writeFile(
    join(home, "pgbouncer.ini"),
    [
      "[databases]",
      `${name} = host=127.0.0.1 port=${bridge.port} user=florin password=${postgres.password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${home.slice(debian.length)}/users`,
      `pool_mode = ${mode}`,
    ].join("\n"),
  );
  await chmod(home, 0o755);
  const command = ["pgbouncer", `${home.slice(debian.length)}/pgbouncer.ini`];
  const [file, ...args] = commandInDebian("postgres", command) as [string, ...string[]];
  const pooler: ChildProcess = spawn(file, args, { stdio: "ignore" });
  const url = `postgres://florin:${postgres.password}@127.0.0.1:${port}/${name}`;
  return {
    url,
    async stop() {
      const exited = once(pooler, "exit");
      pooler.kill("SIGKILL");
      await exited;
      bridge.close();
      await rm(home, { recursive: true });
    },
  };
}

async function forwardToSocket(host: string, port: string) {
  const server = createServer((from) => {
    const to = host.startsWith("/")
      ? connect(join(host, `.s.PGSQL.${port}`))
      : connect(Number(port), host);
    from.pipe(to).pipe(from);
    from.on("error", () => to.destroy());
    to.on("error", () => from.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: listening } = server.address() as { port: number };
  return { port: listening, close: () => server.close() };
}

const isListening = (error: unknown) => !/ECONNREFUSED|does not listen/.test(String(error));

/** Waits until the pooler listens, and returns the error of the migration, or null. */
function migrateThrough(url: string): Promise<string | null> {
  return retryWhileUnavailable(() =>
    migrate(url).then(
      () => null,
      (error: unknown) => {
        if (isListening(error)) return String(error);
        throw error;
      },
    ),
  );
}

test("pgBouncer in transaction mode is rejected at the start", { skip }, async () => {
  const pooler = await startPooler("transaction");
  try {
    assert.match(String(await migrateThrough(pooler.url)), /pooler in transaction mode.*pool_mode/);
  } finally {
    await pooler.stop();
  }
});

test("pgBouncer in session mode keeps the settings and the locks of a session", {
  skip,
}, async () => {
  const pooler = await startPooler("session");
  try {
    assert.equal(await migrateThrough(pooler.url), null);
    const through = connectDatabase({ url: pooler.url, poolSize: 4, onIdleError: () => undefined });
    const [row] = await through.read<{ timeout: string }>`
      select current_setting('statement_timeout') as timeout`;
    assert.equal(row?.timeout, "20s");
    const locked = await through.connect({ application_name: "florin lock" });
    await locked.query("select pg_advisory_lock(1, 1)");
    const [other] = await through.read<{ free: boolean }>`
      select pg_try_advisory_lock(1, 1) as free`;
    assert.equal(other?.free, false);
    await locked.end();
    await through.close();
  } finally {
    await pooler.stop();
  }
});
