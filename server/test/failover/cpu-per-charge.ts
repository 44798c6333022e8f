import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { chargeBody, chargesPath } from "../../../bench/charge-request.ts";
import { usageOfPostgres, usageWithWorkers } from "../../../bench/cpu-and-memory.ts";
import type { LoadResult } from "../../../bench/load/load.ts";
import { loadWithWrk } from "../../../bench/load/wrk.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { type ServerProcess, startServer } from "../simulation/server-process.ts";
import { startWebhookReceiver } from "../simulation/webhook-receiver.ts";
import { type HaCluster, readPostmaster, startHaCluster } from "./ha-cluster.ts";
import { createMachine } from "./machines.ts";
import { startSinglePostgres } from "./single-postgres.ts";

export type CpuOptions = {
  /** The length of each run. */
  readonly seconds: number;
  /** The number of runs of each setup. The setups run in turn. */
  readonly runs: number;
  /** The length of the load before the first run. During this load, every process compiles its code. */
  readonly warmUpSeconds: number;
};

/** The setups that are compared, with the connections of their clients. */
export const setups = ["single", "singleWithAll", "cluster"] as const;
export type Setup = (typeof setups)[number];

/** The number of client connections per server process. In `singleWithAll`, one process has the connections of four. */
const perProcess = 64;
export const connectionsOf = {
  single: perProcess,
  singleWithAll: 4 * perProcess,
  cluster: 4 * perProcess,
};

export type CpuRun = {
  readonly perSecond: number;
  readonly failed: number;
  /** The latencies of the charges, for each service. */
  readonly latencies: readonly Pick<LoadResult, "p50Ms" | "p99Ms">[];
  /** The CPU time per charge. */
  readonly micros: Readonly<Record<Part, number>>;
};

export const parts = ["service", "postgres", "standbys", "haproxy"] as const;
export type Part = (typeof parts)[number];

export type CpuFigures = Readonly<Record<Setup, readonly CpuRun[]>>;

type Measured = {
  readonly services: readonly Service[];
  /** Returns the CPU time that each part has used since its start, in seconds. */
  readonly cpuSeconds: () => Promise<Record<Part, number>>;
};

/** A service, and the secret key of a merchant without a webhook endpoint. */
type Service = { readonly server: ServerProcess; readonly secretKey: string };

/**
 * Measures the CPU time per charge of four server processes on the cluster and of one process on one Postgres. Two of
 * the four processes connect through HAProxy, and two use the addresses of the nodes.
 */
export async function measureCpuPerCharge(
  { seconds, runs, warmUpSeconds }: CpuOptions,
  print: (line: string) => void,
): Promise<CpuFigures> {
  const directory = await mkdtemp(join(tmpdir(), "florin-cpu-"));
  // Postgres's user must be able to reach the data directories.
  await chmod(directory, 0o755);
  const cluster = await startHaCluster(directory);
  const single = await startSinglePostgres(await createMachine(4), directory);
  const receiver = await startWebhookReceiver();
  const { outdir } = await builtEmbed();
  const servers: ServerProcess[] = [];
  const start = async (name: string, databaseUrl: string, processes: number): Promise<Service> => {
    const dataDirectory = join(directory, name);
    const server = await startServer({
      databaseUrl,
      dataDirectory,
      embedDirectory: outdir,
      shopUrl: receiver.url,
      environment: { FLORIN_PROCESSES: String(processes), FLORIN_DATABASE_TLS: "off" },
    });
    servers.push(server);
    const demo = JSON.parse(await readFile(join(dataDirectory, "demo.json"), "utf8"));
    return { server, secretKey: demo.other_account.test_secret_key };
  };
  try {
    await migrate(single.url);
    await migrate(cluster.url);
    const one = await start("one", single.url, 1);
    const alone: Measured = {
      services: [one],
      cpuSeconds: async () => ({
        service: serviceSeconds([one]),
        postgres: postgresSeconds(single.postmaster),
        standbys: 0,
        haproxy: 0,
      }),
    };
    // The second service uses the keys and the merchants that the first service has created.
    const four = [await start("four", cluster.url, 2), await start("four", cluster.urlOfNodes, 2)];
    const clustered: Measured = {
      services: four,
      cpuSeconds: async () => ({
        service: serviceSeconds(four),
        ...(await clusterSeconds(cluster, directory)),
      }),
    };
    const measured = { single: alone, singleWithAll: alone, cluster: clustered };
    for (const setup of setups) {
      print(`warm-up: ${setup}`);
      await measure(measured[setup], setup, warmUpSeconds, `warm-up ${setup}`);
    }
    const figures: Record<Setup, CpuRun[]> = { single: [], singleWithAll: [], cluster: [] };
    for (let round = 1; round <= runs; round++) {
      for (const setup of setups) {
        await cluster.waitUntilWhole(60_000);
        const run = await measure(measured[setup], setup, seconds, `run ${round} ${setup}`);
        figures[setup].push(run);
        print(`round ${round} of ${runs}: ${setup}: ${run.perSecond.toFixed(0)}/s`);
      }
    }
    for (const server of servers) assert.equal(server.outputOfUnexpectedExit(), null);
    for (const server of servers) await server.stop();
    return figures;
  } finally {
    for (const server of servers) await server.kill();
    receiver.close();
    await single.stop();
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Sends charges to all services at the same time. */
async function measure(
  { services, cpuSeconds }: Measured,
  setup: Setup,
  seconds: number,
  label: string,
): Promise<CpuRun> {
  const before = await cpuSeconds();
  const results = await Promise.all(
    services.map(({ server, secretKey }, index) =>
      loadWithWrk({
        url: server.url,
        secretKeys: [secretKey],
        method: "POST",
        paths: [chargesPath],
        body: chargeBody,
        keys: `${label} ${index} `,
        connections: connectionsOf[setup] / services.length,
        seconds,
      }),
    ),
  );
  const after = await cpuSeconds();
  const charges = results.reduce((sum, { succeeded }) => sum + succeeded, 0);
  const microsOf = (part: Part) => ((after[part] - before[part]) * 1e6) / charges;
  return {
    perSecond: results.reduce((sum, one) => sum + one.succeeded / one.seconds, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    latencies: results,
    micros: {
      service: microsOf("service"),
      postgres: microsOf("postgres"),
      standbys: microsOf("standbys"),
      haproxy: microsOf("haproxy"),
    },
  };
}

function serviceSeconds(services: readonly Service[]): number {
  return services.reduce((sum, { server }) => sum + secondsOf(usageWithWorkers(server.pid)), 0);
}

/** Returns the CPU time of the primary, of both standbys and of HAProxy. */
async function clusterSeconds(
  cluster: HaCluster,
  directory: string,
): Promise<Record<"postgres" | "standbys" | "haproxy", number>> {
  const primary = await cluster.primary();
  const seconds = {
    postgres: 0,
    standbys: 0,
    haproxy: secondsOf(usageWithWorkers(cluster.haproxyPid)),
  };
  for (const node of cluster.nodes) {
    const own = postgresSeconds(await readPostmaster(directory, node.machine));
    if (node === primary) seconds.postgres += own;
    else seconds.standbys += own;
  }
  return seconds;
}

const postgresSeconds = (postmaster: number) => secondsOf(usageOfPostgres(postmaster));

function secondsOf(usage: { readonly cpuSeconds: number } | null): number {
  assert(usage, "a process has ended");
  return usage.cpuSeconds;
}
