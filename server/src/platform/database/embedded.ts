import { spawn } from "node:child_process";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseClient } from "./database-client.ts";
import { isDiskFull } from "./disk-space.ts";
import {
  type Cluster,
  findCluster,
  isAlive,
  openCluster,
  postgresEnvironment,
} from "./embedded-cluster.ts";
import {
  findPostmaster,
  isPostmaster,
  type Postmaster,
  stopPostmaster,
} from "./embedded-postmaster.ts";
import { maxConnectionsFor, settingArguments } from "./embedded-settings.ts";
import { asUser } from "./embedded-system-user.ts";
import { listStaging } from "./staged-directory.ts";
import { StartupError } from "./startup-error.ts";
import { isUnavailable } from "./unavailable.ts";
import { archiveSetting, prepareWalArchive } from "./wal-archive.ts";

/** A running built-in PostgreSQL, used when DATABASE_URL is not set. */
export type EmbeddedPostgres = {
  /** URL of the database `florin`. It stays the same when Postgres crashes and is restarted. */
  readonly url: string;
  /** The current process id of the postmaster. */
  readonly pid: number;
  /** Shuts Postgres down, unless another running process uses it too. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  /** The data directory of Florin. The database is in `<directory>/postgres`. */
  readonly directory: string;
  /** Called with messages about slow steps and failures. */
  readonly log: (line: string) => void;
  /** The number of connections that the service needs. Postgres accepts at least 200 in any case. */
  readonly connections?: number;
  /** The directory to which Postgres archives its write-ahead log (`FLORIN_WAL_ARCHIVE`). */
  readonly walArchive?: string | null;
  /** Aborts the start with the signal's reason. A Postgres that no other process uses is stopped. */
  readonly signal?: AbortSignal;
  /** Replaces settings of `embedded-settings.ts`, or adds to them. For tests only. */
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * Starts the built-in Postgres, or takes over one that a killed server left running.
 *
 * Postgres runs in a separate session, so that Ctrl-C in the terminal reaches only the server. The server then finishes
 * requests in flight and stops Postgres last. If Postgres exits while the server is running, it is restarted.
 */
export async function startEmbeddedPostgres({
  directory,
  log,
  connections = 0,
  walArchive = null,
  signal,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  signal?.throwIfAborted();
  await assertNotHalfRestored(resolve(directory));
  const opened = await openCluster(resolve(directory), log);
  const archive = walArchive === null ? {} : await prepareWalArchive(opened, walArchive);
  const cluster = {
    ...opened,
    settings: {
      max_connections: String(maxConnectionsFor(connections)),
      ...archive,
      ...settings,
    },
  };
  // This process registers before it looks for a running Postgres. Another process that is about to stop Postgres then
  // either finds the registration, or has already begun to stop Postgres, which this process can detect.
  await register(cluster);
  const release = async (): Promise<void> => {
    await unregister(cluster);
    if ((await otherUsers(cluster)) === 0) await stopPostmaster(cluster, "fast");
  };
  let postmaster: Postmaster;
  try {
    postmaster = await startWithDatabase(cluster, log, signal);
    signal?.throwIfAborted();
  } catch (error) {
    // If an aborted start did not stop Postgres, Postgres would keep running although no process uses it. After any
    // other error, Postgres keeps running on purpose: the next start then continues a recovery that takes more than ten
    // minutes.
    if (signal?.aborted) await release().catch(() => undefined);
    throw error;
  }
  const url = urlOf(cluster, postmaster, "florin");

  let restarting: Promise<void> | null = null;
  let failures = 0;
  let nextRestartAt = 0;
  let reported: string | null = null;
  const restartIfStopped = async (): Promise<void> => {
    if (performance.now() < nextRestartAt) return;
    if (await isPostmaster(postmaster.pid, cluster)) {
      failures = 0;
      reported = null;
      return;
    }
    if (failures === 0) log("Postgres stopped unexpectedly. Starting it again.");
    postmaster = await startIfNeeded(cluster, log);
    if (failures > 0) log("Postgres is running again.");
    failures = 0;
    reported = null;
    if (urlOf(cluster, postmaster, "florin") !== url) {
      log(
        `Postgres could not listen on its previous port, and listens on ${postmaster.port} now. Restart Florin, which still uses the previous port.`,
      );
    }
  };
  const watch = setInterval(() => {
    restarting ??= restartIfStopped()
      .catch(({ message }: Error) => {
        failures += 1;
        nextRestartAt = performance.now() + Math.min(500 * 2 ** failures, maxRestartPauseMs);
        if (message !== reported) log(message);
        reported = message;
      })
      .finally(() => {
        restarting = null;
      });
  }, 500).unref();

  return {
    url,
    get pid() {
      return postmaster.pid;
    },
    stop: async () => {
      clearInterval(watch);
      await restarting;
      await release();
    },
  };
}

/** Stops the Postgres in `<directory>/postgres` even if processes use it. Tests simulate a crash with `immediate`. */
export async function stopEmbeddedPostgres(
  directory: string,
  mode: "fast" | "immediate",
): Promise<void> {
  const cluster = await findCluster(resolve(directory));
  if (cluster) await stopPostmaster(cluster, mode);
}

/**
 * Starts Postgres and creates the database. Retries, because a Postgres with the status `ready` may be shutting down.
 * If Postgres is killed together with its server, its pid file has the status `ready` until Postgres exits.
 */
async function startWithDatabase(
  cluster: Cluster,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const postmaster = await startIfNeeded(cluster, log, signal);
    try {
      await ensureDatabase(cluster, postmaster);
      return postmaster;
    } catch (error) {
      if (attempt === 50 || !isUnavailable(error)) throw error;
      await sleep(100);
    }
  }
}

/** The maximum pause between two attempts to restart Postgres, for example while its disk is full. */
const maxRestartPauseMs = 5_000;

/**
 * Rejects a directory to which a backup was not completely restored. Otherwise the start would create a new, empty
 * database there, which the operator could mistake for the restored one.
 */
async function assertNotHalfRestored(directory: string): Promise<void> {
  const home = join(directory, "postgres");
  if (await stat(home).catch(() => null)) return;
  const [staging] = await listStaging(home);
  if (staging === undefined) return;
  throw new StartupError(
    staging.isInUse
      ? `A backup is being restored to ${directory}. Start again when the restore has finished.`
      : `The restore of a backup to ${directory} was interrupted. Run 'florin restore' again. If you want a new, empty database instead, delete ${staging.directory}.`,
  );
}

/** Recovery after a crash reads up to max_wal_size of log, which can take minutes on a slow disk. */
const gracePeriodMs = 10 * 60_000;

/**
 * The start fails when Postgres has exited this many times before it was ready. Another process may stop Postgres once
 * during recovery. With a damaged database, Postgres exits every time.
 */
const maxExits = 5;

/** Starts Postgres if needed and returns when it accepts connections. */
async function startIfNeeded(
  cluster: Cluster,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<Postmaster> {
  const startedAt = performance.now();
  let port = await rememberedPort(cluster);
  let nextLogAt = startedAt + 10_000;
  /** The offset in the log at which the output of the latest launch begins. */
  let launchedAt: number | null = null;
  let exits = 0;
  while (performance.now() - startedAt < gracePeriodMs) {
    signal?.throwIfAborted();
    const running = await findPostmaster(cluster);
    if (running?.status === "ready") {
      await rememberPort(cluster, running.port);
      return running;
    }
    if (!running) {
      if (launchedAt !== null) {
        const output = await outputSince(cluster, launchedAt);
        if (isPortTaken(output)) port = null;
        else if (!isOccupied(output)) exits += 1;
        if (exits === maxExits) {
          throw new StartupError(
            (await unusableDisk(cluster, output)) ??
              `Postgres stopped ${exits} times before it was ready. The end of its log, ${cluster.log}:\n${endOf(output)}`,
          );
        }
      }
      const launched = await launch(cluster, port ?? (await freePort()));
      launchedAt = launched.kind === "launched" ? launched.at : null;
      if (launched.kind === "port_taken") port = null;
      else if (launched.kind === "fatal") throw new StartupError(launched.message);
    }
    if (performance.now() > nextLogAt) {
      log("Postgres is still starting. After a crash it first recovers all committed data.");
      nextLogAt += 10_000;
    }
    await sleep(10);
  }
  throw new StartupError(
    `Postgres was not ready within ten minutes. Check its log, ${cluster.log}. If Postgres is recovering after a crash, it continues to run. Start Florin again to wait for it.`,
  );
}

type Launch =
  /**
   * Postgres has accepted its settings and was started, but may have stopped since then. Its output begins at offset
   * `at` of the log.
   */
  | { readonly kind: "launched"; readonly at: number }
  | { readonly kind: "port_taken" }
  /** Another process has just started Postgres, or the processes of a killed Postgres are still exiting. */
  | { readonly kind: "occupied" }
  | { readonly kind: "fatal"; readonly message: string };

/** Starts Postgres. Returns once Postgres has written its pid file, which is before recovery, or has stopped. */
export async function launch(cluster: Cluster, port: number): Promise<Launch> {
  const socketDirectory = socketDirectoryOf(cluster, port);
  const args = [
    "-D",
    cluster.data,
    ...settingArguments({ port, socketDirectory }, cluster.settings),
  ];
  const { [archiveSetting]: archive } = cluster.settings ?? {};
  const paths = archive === undefined ? [cluster.data] : [cluster.data, archive];
  const command = await asUser(cluster.user, { file: cluster.programs.postgres, args }, [
    ...paths,
    ...(cluster.reads ?? []),
  ]);

  await rotateLog(cluster.log);
  const log = await open(cluster.log, "a", 0o600);
  const logStart = (await log.stat()).size;
  const child = spawn(command.file, command.args, {
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
    cwd: "/",
    env: postgresEnvironment,
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`exit ${signal ?? code}`));
  });
  child.unref();
  await log.close();

  const up = (async () => {
    while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      if ((await findPostmaster(cluster))?.pid === child.pid) return null;
      await sleep(5);
    }
    return await ended;
  })();
  const end = await up;
  if (end === null) return { kind: "launched", at: logStart };

  const output = await outputSince(cluster, logStart);
  if (isPortTaken(output)) return { kind: "port_taken" };
  if (isOccupied(output)) return { kind: "occupied" };
  // On a damaged database, Postgres can stop before its pid file is read. The caller then counts one failed start.
  if (/LOG: +starting PostgreSQL/.test(output)) return { kind: "launched", at: logStart };
  const message =
    (await unusableDisk(cluster, output)) ??
    `Postgres could not start (${end}). The end of its log, ${cluster.log}:\n${endOf(output)}`;
  return { kind: "fatal", message };
}

export async function outputSince(cluster: Cluster, start: number): Promise<string> {
  return (await readFile(cluster.log)).subarray(start).toString().trim();
}

/** Returns the error message if Postgres cannot write to its disk, or null if the output shows another problem. */
async function unusableDisk({ data }: Cluster, output: string): Promise<string | null> {
  // Postgres writes its output to the same disk, so the output can be empty if the disk is full.
  if (/No space left on device|Disk quota exceeded/.test(output) || (await isDiskFull(data))) {
    return `Postgres cannot start, because the disk of ${data} is full. Free some space (df -h, df -i). No committed data is lost.`;
  }
  if (/Read-only file system/.test(output)) {
    return `Postgres cannot start, because the file system of ${data} is read-only. Make it writable. No committed data is lost.`;
  }
  return null;
}

function isPortTaken(output: string): boolean {
  return /could not (bind|create any TCP)/.test(output);
}

/**
 * Returns whether the output shows that another process has started Postgres, or that the processes of a killed
 * Postgres are still exiting.
 */
function isOccupied(output: string): boolean {
  return /lock file .* (already exists|is empty)|pre-existing shared memory/.test(output);
}

export function endOf(log: string): string {
  return log.trim().split("\n").slice(-12).join("\n");
}

/** The size above which a start rotates the log. One old log is kept. */
const maxLogBytes = 10 * 1024 * 1024;

async function rotateLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(path, `${path}.old`);
}

/** sun_path holds 104 bytes on macOS and 108 on Linux, including the terminating zero. */
const maxSocketPathLength = 103;

/**
 * Returns the directory for the socket: the data directory, because Postgres's user may write there. Returns null when
 * the socket's path is too long or needs quoting.
 */
function socketDirectoryOf(cluster: Cluster, port: number): string | null {
  const path = join(cluster.data, `.s.PGSQL.${port}`);
  const fits = Buffer.byteLength(path) <= maxSocketPathLength && /^[\w./ -]+$/.test(path);
  return fits ? cluster.data : null;
}

/** Returns the connection URL. Uses the socket if there is one, which avoids the TCP stack on each round trip. */
export function urlOf(
  cluster: Cluster,
  { port, socketDirectory }: Postmaster,
  database: string,
): string {
  const url = new URL(`postgres://florin:${cluster.password}@127.0.0.1:${port}/${database}`);
  if (socketDirectory) {
    url.searchParams.set("host", socketDirectory);
    url.searchParams.set("port", String(port));
  }
  return url.href;
}

async function ensureDatabase(cluster: Cluster, postmaster: Postmaster): Promise<void> {
  const client = new DatabaseClient({
    connectionString: urlOf(cluster, postmaster, "postgres"),
  });
  // A connection that breaks between two statements emits an error event, which would end the process if unhandled.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'florin'");
    if (rowCount === 0) await client.query("create database florin").catch(ignoreAlreadyCreated);
  } finally {
    await client.end();
  }
}

/** Ignores 42P04 (duplicate_database), and 23505, which occurs when two processes create the database concurrently. */
function ignoreAlreadyCreated(error: { code?: string }): void {
  if (error.code !== "42P04" && error.code !== "23505") throw error;
}

/** Returns the port of the last start. It is reused so that a pool can reconnect after a crash. */
async function rememberedPort(cluster: Cluster): Promise<number | null> {
  const text = await readFile(join(cluster.home, "port"), "utf8").catch(() => "");
  return Number.parseInt(text, 10) || null;
}

async function rememberPort(cluster: Cluster, port: number): Promise<void> {
  await writeFile(join(cluster.home, "port"), String(port));
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(0, "127.0.0.1", listening);
  });
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string")
    throw new StartupError(
      "No port is free on 127.0.0.1. Stop a program that listens on that address.",
    );
  return address.port;
}

/** Registers this process as a user of the cluster, by creating a file. The last registered process stops Postgres. */
async function register(cluster: Cluster): Promise<void> {
  await mkdir(join(cluster.home, "users"), { recursive: true });
  await writeFile(join(cluster.home, "users", String(process.pid)), "");
}

async function unregister(cluster: Cluster): Promise<void> {
  await rm(join(cluster.home, "users", String(process.pid)), { force: true });
}

async function otherUsers(cluster: Cluster): Promise<number> {
  let alive = 0;
  for (const name of await readdir(join(cluster.home, "users"))) {
    if (isAlive(Number(name))) alive += 1;
    // The process was killed before it could unregister.
    else await rm(join(cluster.home, "users", name), { force: true });
  }
  return alive;
}
