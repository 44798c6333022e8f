import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { systemClock } from "../src/core/clock.ts";
import { startEmbeddedPostgres } from "../src/platform/database/embedded.ts";
import { backUpEmbeddedPostgres } from "../src/platform/database/embedded-backup.ts";
import { findCluster, postgresEnvironment } from "../src/platform/database/embedded-cluster.ts";
import { settingArguments } from "../src/platform/database/embedded-settings.ts";
import { asUser } from "../src/platform/database/embedded-system-user.ts";
import { endChild } from "./end-child.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/**
 * A Postgres with a standby that streams from it. The standby starts from a copy that the service's backup command
 * makes, because the binaries that npm installs contain no pg_basebackup.
 */
export type PostgresPair = {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Copies the primary, and starts the copy as another primary, like a restore of a backup. */
  restoreCopy(): Promise<PostgresServer>;
  /** Makes the standby a primary. */
  promote(): Promise<void>;
  /** Kills every process of the standby. */
  killStandby(): Promise<void>;
  /** Starts the killed standby on its former port. Returns when it accepts connections. */
  startStandby(): Promise<void>;
  stop(): Promise<void>;
};

export type PostgresServer = {
  readonly url: string;
  /** The host and the port, for a URL with several hosts. */
  readonly place: string;
  /** Sends a signal to all processes of the server. */
  signal(name: NodeJS.Signals): void;
  query(text: string): Promise<Record<string, unknown>[]>;
};

export async function startPostgresPair(): Promise<PostgresPair> {
  const directory = await mkdtemp(join(tmpdir(), "florin-pair-"));
  const copy = await mkdtemp(join(tmpdir(), "florin-pair-"));
  const embedded = await startEmbeddedPostgres({ directory, log: () => undefined });
  const target = join(copy, "standby");
  const backUp = (to: string) =>
    backUpEmbeddedPostgres({
      directory,
      target: to,
      signal: new AbortController().signal,
      clock: systemClock,
      log: () => undefined,
    });
  await backUp(target);
  const cluster = await findCluster(target);
  if (!cluster) throw new Error(`no copy in ${target}`);
  const primaryUrl = overTcp(embedded.url);
  const from = new URL(primaryUrl);
  const port = await freePort();
  await appendFile(
    join(cluster.data, "postgresql.auto.conf"),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${from.port} user=florin password=${from.password} application_name=standby'\n`,
  );
  await writeFile(join(cluster.data, "standby.signal"), "");
  const settings = { max_connections: "200", wal_receiver_timeout: "5s" };
  const args = [
    ...["-D", cluster.data],
    ...settingArguments({ port, socketDirectory: null }, settings),
  ];
  const program = { file: cluster.programs.postgres, args };
  const command = await asUser(cluster.user, program, [cluster.data]);
  const start = () =>
    spawn(command.file, [...command.args], {
      stdio: "ignore",
      detached: true,
      cwd: "/",
      env: postgresEnvironment,
    });
  let child = start();
  const standbyUrl = new URL(primaryUrl);
  standbyUrl.port = String(port);
  const primary = serverAt(primaryUrl, () => embedded.pid);
  const standby = serverAt(standbyUrl.href, () => child.pid as number);
  const streaming = () =>
    primary.query("select from pg_stat_replication where state = 'streaming'").catch(() => []);
  await until(streaming, (rows) => rows.length === 1);
  const stops = [() => endChild(child, "SIGINT"), embedded.stop];
  return {
    primary,
    standby,
    async restoreCopy() {
      const home = join(copy, "restored");
      await backUp(home);
      // The backup stops the primary when it ends, because this process started that Postgres. Waits until the primary
      // runs again and the standby streams from it.
      await until(streaming, (rows) => rows.length === 1);
      const restored = await startEmbeddedPostgres({ directory: home, log: () => undefined });
      stops.push(restored.stop);
      return serverAt(overTcp(restored.url), () => restored.pid);
    },
    async promote() {
      await standby.query("select pg_promote()");
    },
    async killStandby() {
      const exited = once(child, "exit");
      standby.signal("SIGKILL");
      await exited;
    },
    async startStandby() {
      child = start();
      await until(
        () => standby.query("select").catch(() => []),
        (rows) => rows.length === 1,
      );
    },
    async stop() {
      for (const stop of stops) await stop();
      for (const path of [directory, copy]) await rm(path, { recursive: true, force: true });
    },
  };
}

function serverAt(url: string, pid: () => number): PostgresServer {
  return {
    url,
    place: new URL(url).host,
    signal(name) {
      // Each process of Postgres has its own process group. Signals the postmaster first, so that it starts no other
      // processes.
      const children = readFileSync(`/proc/${pid()}/task/${pid()}/children`, "utf8");
      for (const one of [pid(), ...children.trim().split(" ").map(Number)]) {
        try {
          process.kill(one, name);
        } catch {
          // The process has already exited, for example because the postmaster has exited.
        }
      }
    },
    async query(text) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      await client.connect();
      return client
        .query(text)
        .then(
          ({ rows }) => rows,
          (error) => Promise.reject(error),
        )
        .finally(() => client.end());
    },
  };
}

/** Returns the URL of the same database over TCP instead of a socket. */
function overTcp(url: string): string {
  const { searchParams, password, pathname } = new URL(url);
  return `postgres://florin:${password}@127.0.0.1:${searchParams.get("port") ?? new URL(url).port}${pathname}`;
}
