import { access, constants, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assertArchiveWritable } from "@florin/server/admin/retention/archive-files.ts";
import { maxDatabaseConnections } from "@florin/server/app/database-connections.ts";
import type { Config } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { makeDirectories } from "@florin/server/core/make-directories.ts";
import { prepareDemo } from "@florin/server/demo.ts";
import { browserAddress } from "@florin/server/identity/people/browser-address.ts";
import { prepareOperatorSetup } from "@florin/server/identity/people/operator-setup.ts";
import { startEmbeddedPostgres } from "@florin/server/platform/database/embedded.ts";
import { migrate } from "@florin/server/platform/database/migrate.ts";
import { explainFileError, StartupError } from "@florin/server/platform/database/startup-error.ts";
import { runService } from "@florin/server/server-processes.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { browserBundles } from "./browser-bundles.ts";
import { lockDataDirectory } from "./data-directory-lock.ts";
import { checkDatabase, checkMachine } from "./doctor.ts";
import { operatorLinkFile, readyFile } from "./running-service.ts";
import { serverParts } from "./server-parts.ts";
import { choosePort, startShop } from "./shop.ts";
import { inboxUrl, type Running, welcome } from "./welcome.ts";

/**
 * Functions that close resources, in the order in which the resources were opened. The functions are called in reverse
 * order.
 */
type Closing = (() => Promise<void>)[];

/** Starts everything and runs until a stop signal. */
export async function start(config: Config): Promise<number> {
  const stopping = new AbortController();
  const stopped = stopSignal().then((signal) => {
    stopping.abort(new StartupError(`${signal}: the start was canceled.`));
    return signal;
  });
  ignoreClosedOutput();
  const closing: Closing = [];
  try {
    // A stop signal ends the startup, even while it waits for Postgres. Only a part that is starting delays the end
    // (`closeStarted`).
    const starting = startAll(config, closing, stopping.signal);
    starting.catch(() => undefined);
    const running = await Promise.race([starting, stopped.then(() => null)]);
    if (!running) throw stopping.signal.reason;
    await writeReadyFile(config, running);
    closing.push(() => rm(readyFile(config), { force: true }));
    await writeOperatorLink(config, running.operatorSetupUrl);
    console.log(welcome(config, running, { terminal: process.stdout.isTTY === true }));
    const end = await Promise.race([stopped, running.server.failed]);
    if (end instanceof Error) throw end;
    console.log(`\n${end}: finishing requests in progress.`);
  } catch (error) {
    // The error of a close is usually a consequence of the first error.
    await closeAll(closing).catch(() => undefined);
    throw explainFileError(error, config.dataDirectory);
  }
  await closeAll(closing);
  return 0;
}

/**
 * Closes everything in reverse order. A failed close does not prevent the next ones, so that the built-in Postgres stops
 * and the data directory is unlocked. Throws the first error afterwards.
 */
async function closeAll(closing: Closing): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closing.reverse()) {
    await close().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Starts the parts in order. After a stop signal, no further part is started. Each part is added to `closing` as soon
 * as its start begins, because the stop signal can arrive before it has started.
 */
async function startAll(config: Config, closing: Closing, stop: AbortSignal): Promise<Running> {
  for (const warning of await checkMachine(config)) console.error(warning);
  await openDataDirectory(config.dataDirectory);
  closing.push(await lockDataDirectory(config.dataDirectory));
  if (config.workers && config.archiveAfterDays !== null) {
    await assertArchiveWritable(config.archiveDirectory);
  }
  stop.throwIfAborted();
  // The build of the bundles and the start of the database run in parallel.
  const building = browserBundles(config);
  building.catch(() => undefined);
  const databaseUrl = config.databaseUrl ?? (await startOwnPostgres(config, closing, stop));
  await building;
  stop.throwIfAborted();
  const migrating = migrate(databaseUrl, { signal: stop, log: (line) => console.log(line) });
  closing.push(() => closeStarted(migrating, async () => undefined));
  for (const migration of await migrating) console.log(`Migrated: ${migration}`);

  stop.throwIfAborted();
  const starting = runService(config, databaseUrl, {
    workerScript: join(import.meta.dirname, "worker.ts"),
    parts: await building,
    createParts: serverParts,
  });
  // Waits for a server that is starting, so that Postgres does not stop while the server uses it.
  closing.push(() => closeStarted(starting, (server) => server.close()));
  const server = await starting;
  stop.throwIfAborted();
  const { database } = server;
  for (const warning of await checkDatabase({ config, database })) console.error(warning);
  const setupToken = await prepareOperatorSetup({ database: server.database, clock: systemClock });
  const operatorSetupUrl =
    setupToken && `${browserAddress(server.url)}/dashboard/operator/set-up#${setupToken}`;
  if (!config.demo) return { server, demo: null, shop: null, operatorSetupUrl };

  const shopPort = await choosePort(config);
  const demo = await prepareDemo(
    {
      database: server.database,
      clock: systemClock,
      keys: createLocalKeyProvider(config.keysDirectory),
      hashKey: server.hashKey,
    },
    config.dataDirectory,
    `http://localhost:${shopPort}`,
  );
  stop.throwIfAborted();
  const startingShop = startShop(config, server.url, demo, shopPort);
  closing.push(() => closeStarted(startingShop, (shop) => shop.stop()));
  return { server, demo, shop: await startingShop, operatorSetupUrl };
}

/** The maximum time that a stop waits for a part that is starting. An unreachable database can delay its start. */
const maxStartWaitMs = 10_000;

/** Closes a part as soon as it has started. A part whose start fails has nothing to close. */
async function closeStarted<Part>(
  starting: Promise<Part>,
  close: (part: Part) => Promise<void>,
): Promise<void> {
  const started = starting.catch(() => null);
  const part = await Promise.race([started, sleep(maxStartWaitMs, null, { ref: false })]);
  if (part !== null) await close(part);
}

async function openDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectories(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTDIR") {
      throw new StartupError(
        `Florin cannot create ${directory}, because a file has the name of this or of a parent directory. Set FLORIN_DATA to another directory.`,
      );
    }
    // The fix for a read-only or full disk differs from the fix for missing permissions.
    if (code !== "EACCES" && code !== "EPERM") {
      const explained = explainFileError(error);
      if (explained instanceof StartupError) throw explained;
    }
    throw new StartupError(
      `Florin cannot use ${directory} as the data directory (${code}). Give Florin permission to write there, or set FLORIN_DATA to another directory.`,
    );
  }
}

async function startOwnPostgres(
  config: Config,
  closing: Closing,
  signal: AbortSignal,
): Promise<string> {
  const starting = startEmbeddedPostgres({
    directory: config.dataDirectory,
    connections: maxDatabaseConnections(config),
    walArchive: config.walArchive,
    signal,
    log: (line) => console.log(line),
  });
  closing.push(() => closeStarted(starting, (postgres) => postgres.stop()));
  return (await starting).url;
}

/** Writes the ready file for programs that wait for the server. A stop removes the file, but a crash does not. */
async function writeReadyFile(config: Config, running: Running): Promise<void> {
  const { server, demo, shop } = running;
  const ready = {
    base_url: server.url,
    embed_url: `${server.url}/embed.js`,
    dashboard_url: `${browserAddress(server.url)}/dashboard`,
    dashboard_sign_in: demo?.dashboard_sign_in ?? null,
    inbox_url: inboxUrl(server),
    operator_setup_url: running.operatorSetupUrl,
    shop_url: shop?.url ?? null,
    metrics_url: server.metricsUrl,
    account_id: demo?.account_id ?? null,
    test_secret_key: demo?.test_secret_key ?? null,
    webhook_secret: demo?.webhook_secret ?? null,
    other_account: demo?.other_account ?? null,
    pid: process.pid,
  };
  const file = readyFile(config);
  await writeFile(`${file}.new`, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/**
 * Writes the operator's one-time link to a file that only this user can read, because printed output may end up in a
 * journal or a log collector. If the link is null because there is an operator, only removes the file.
 */
async function writeOperatorLink(config: Config, link: string | null): Promise<void> {
  const file = operatorLinkFile(config);
  await rm(file, { force: true });
  if (link !== null) await writeFile(file, `${link}\n`, { mode: 0o600, flag: "wx" });
}

/**
 * Resolves with the first stop signal. A closed terminal sends SIGHUP. Later signals have no effect, because Ctrl-C
 * sends SIGINT twice, from the terminal and from npm.
 */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, resolve);
  });
}

/** Ignores errors of a closed output pipe, so that they do not stop the service. */
function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
