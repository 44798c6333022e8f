import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "@florin/server/platform/database/embedded.ts";
import { migrate } from "@florin/server/platform/database/migrate.ts";
import pg from "pg";
import { cpuSecondsOfEndedChildren, usageOfPostgres, usageWithWorkers } from "./cpu-and-memory.ts";
import { fillDatabase } from "./fill-database.ts";
import { adyenAccount, type BothModes, setUpLiveMode } from "./live-mode.ts";
import { findWrk } from "./load/wrk.ts";
import { createRules, filledMerchantCount, merchantCount } from "./many-merchants.ts";
import { type Child, startChild } from "./processes/child.ts";
import type { AdyenSettings, Server, ServerReady } from "./processes/server-messages.ts";
import type { FunctionTime } from "./profile-cpu.ts";
import {
  connectStatementProfile,
  type StatementCost,
  type StatementProfile,
  statementProfileSettings,
} from "./profile-statements.ts";

/** The processes that the scenarios measure, on loopback. Each process is started on first use. */
export type Environment = {
  readonly postgres: EmbeddedPostgres;
  /** False if wrk is not installed. The bench then uses its own generator. */
  readonly wrk: boolean;
  server(): Promise<Server>;
  /** A server with several server processes. */
  serverOf(processes: number): Promise<Server>;
  /** A server that sends traces of this share of requests to a collector. */
  tracedServer(ratio: number): Promise<Server>;
  /** A server that serves requests and runs no jobs, with this number of additional merchants. */
  serverWithoutJobs(merchants?: number): Promise<Server>;
  /** A server with `merchantCount` additional merchants. Each of these merchants has a separate fee and rule. */
  serverOfMany(): Promise<Server>;
  /** A server without jobs whose database is filled with charges of `filledMerchantCount` merchants. */
  filledServer(): Promise<Server>;
  /** A server whose live mode charges through the fake of Adyen, which responds after the delay. */
  liveServer(responseDelayMs: number): Promise<LiveServer>;
  floor(writers: "plain" | "oneStatement"): Promise<Server>;
  /** A server that returns the same text for every request. `body` is called once, before the server starts. */
  ceiling(body: () => Promise<string>): Promise<{ pid: number; url: string }>;
  stripeMock(): Promise<{ pid: number; url: string }>;
  receiver(): Promise<Child<{ url: string }>>;
  /** A queue with one worker process, on a separate database. */
  queue(name: QueueName): Promise<Child<object>>;
  /** Profiles Postgres and the process with this ID. Null unless the environment was created to be profiled. */
  readonly startProfile: ((pid: number) => Promise<RunningProfile>) | null;
  /** The CPU time and memory of every process since its start. */
  usage(): Promise<ProcessUsage[]>;
  close(): Promise<void>;
};

/** A server with a merchant in both modes, and the fake of Adyen that receives the charges of live mode. */
export type LiveServer = Server & BothModes & { readonly adyenUrl: string };

/** The queue processes. Each runs the file with its name in `processes/`. */
export type QueueName =
  | "delivery-worker"
  | "graphile-worker"
  | "graphile-worker-one-by-one"
  | "pg-boss";

/** The number of jobs that a queue is filled with in each round. */
const jobsPerRound = 20_000;

/** A running profile. `stop` returns the costs since its start. */
export type RunningProfile = { stop(): Promise<Profile> };

export type Profile = {
  readonly functions: readonly FunctionTime[];
  readonly statements: readonly StatementCost[];
};

export type ProcessUsage = {
  readonly process: string;
  readonly cpuSeconds?: number | null;
  readonly megabytes?: number | null;
};

export type EnvironmentOptions = { readonly rows: number; readonly profile: boolean };

export async function startEnvironment({
  rows,
  profile,
}: EnvironmentOptions): Promise<Environment> {
  const wrk = await findWrk();
  const directory = await mkdtemp(join(tmpdir(), "florin-bench-"));
  const postgres = await startEmbeddedPostgres({
    directory,
    log: (line) => console.error(line),
    ...(profile && { settings: statementProfileSettings }),
  });
  const statements = profile ? await connectStatementProfile(postgres.url) : null;
  const children = new Map<string, Promise<Child<unknown>>>();

  /** Returns a process by name. The first call with a name starts the process, and later calls return the same one. */
  function once<Ready>(name: string, start: () => Promise<Child<Ready>>): Promise<Child<Ready>> {
    const child = children.get(name) ?? start();
    children.set(name, child);
    return child as Promise<Child<Ready>>;
  }

  async function startServer(
    name: string,
    file: "server" | "floor",
    settings: object = {},
    prepare: (server: Server) => Promise<void> = async () => undefined,
  ): Promise<Server> {
    const database = name.replaceAll(" ", "_");
    const databaseUrl = urlOfDatabase(postgres.url, database);
    const child = await once(name, async () => {
      await createDatabase(postgres.url, database);
      await migrate(databaseUrl);
      const serverDirectory = join(directory, database);
      const started = await startChild<ServerReady>(file, {
        databaseUrl,
        directory: serverDirectory,
        ...settings,
      });
      await prepare({ ...started.ready, pid: started.pid, databaseUrl });
      return started;
    });
    return { ...child.ready, pid: child.pid, databaseUrl };
  }

  async function startHttp(
    name: string,
    file: string,
    settings = async (): Promise<object> => ({}),
  ) {
    const { pid, ready } = await once(name, async () =>
      startChild<{ url: string }>(file, await settings()),
    );
    return { pid, url: ready.url };
  }

  const startReceiver = () =>
    once("webhook receiver", () => startChild<{ url: string }>("receiver", {}));

  async function startQueue(name: QueueName): Promise<Child<object>> {
    const receiver = await startReceiver();
    return once(name, async () => {
      const database = name.replaceAll("-", "_");
      const databaseUrl = urlOfDatabase(postgres.url, database);
      await createDatabase(postgres.url, database);
      if (name === "delivery-worker") await migrate(databaseUrl);
      return startChild<object>(name, {
        databaseUrl,
        directory: join(directory, database),
        receiverUrl: receiver.ready.url,
        jobs: jobsPerRound,
      });
    });
  }

  const merchants = new Map<string, BothModes>();

  async function startLive(responseDelayMs: number): Promise<LiveServer> {
    const name = `live server ${responseDelayMs} ms`;
    const settings: AdyenSettings = { account: adyenAccount, responseDelayMs };
    const adyen = await once(`adyen fake ${responseDelayMs} ms`, () =>
      startChild<{ url: string }>("adyen", settings),
    );
    const adyenUrl = adyen.ready.url;
    let modes = merchants.get(name);
    const server = await startServer(name, "server", { adyenUrl }, async (started) => {
      modes = await setUpLiveMode(started, adyenUrl);
      merchants.set(name, modes);
    });
    return { ...server, adyenUrl, ...(modes as BothModes) };
  }

  async function startProfile(profiled: StatementProfile, pid: number): Promise<RunningProfile> {
    const started = await Promise.all(children.values());
    const child = started.find((one) => one.pid === pid);
    assert(child, `The bench has not started a process with the ID ${pid}`);
    await profiled.reset();
    await child.startProfile();
    return {
      stop: async () => ({
        functions: await child.endProfile(),
        statements: await profiled.read(),
      }),
    };
  }

  return {
    postgres,
    wrk,
    startProfile: statements && ((pid) => startProfile(statements, pid)),
    server: () => startServer("server", "server"),
    serverOf: (processes) =>
      startServer(`server of ${processes} processes`, "server", { processes }),
    async tracedServer(ratio) {
      const collector = await startHttp("collector", "collector");
      const tracing = { url: collector.url, ratio };
      return startServer(`server traced ${ratio * 100} percent`, "server", { tracing });
    },
    serverWithoutJobs: (merchants = 0) =>
      startServer("server without jobs", "server", { workers: false, merchants }),
    // The server runs no jobs, because they would publish, index and reconcile the copied rows during the measurement.
    filledServer: () =>
      startServer(
        "server with rows",
        "server",
        { workers: false, merchants: filledMerchantCount },
        async (server) => {
          await createRules(server);
          const accounts = server.merchants.map(({ account }) => account);
          await fillDatabase(server, rows, { accounts });
        },
      ),
    serverOfMany: () =>
      startServer("server of many", "server", { merchants: merchantCount }, createRules),
    liveServer: startLive,
    floor: (writers) =>
      startServer(writers === "plain" ? "plain" : "one statement", "floor", { writers }),
    ceiling: (body) => startHttp("http ceiling", "ceiling", async () => ({ body: await body() })),
    stripeMock: () => startHttp("stripe-stateful-mock", "stripe-mock"),
    receiver: startReceiver,
    queue: startQueue,
    async usage() {
      const postgresUsage = { process: "postgres in total", ...usageOfPostgres(postgres.pid) };
      const others = [...children].map(async ([process, child]) => ({
        process,
        ...usageWithWorkers((await child).pid),
      }));
      const load = { process: "load generators", cpuSeconds: cpuSecondsOfEndedChildren() };
      return [...(await Promise.all(others)), postgresUsage, load];
    },
    async close() {
      // Stop the other processes and Postgres even if one process could not start.
      await Promise.allSettled([...children.values()].map(async (child) => (await child).stop()));
      await statements?.close();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
}

function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
