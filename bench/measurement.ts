import { cpuSecondsOfEndedChildren, usageOfPostgres, usageWithWorkers } from "./cpu-and-memory.ts";
import type { Environment, Profile } from "./environment.ts";
import type { Load, LoadResult } from "./load/load.ts";
import { runGenerator } from "./load/run-generator.ts";
import { loadWithWrk } from "./load/wrk.ts";

/** One run of one scenario. */
export type Measurement = {
  readonly perSecond: number;
  readonly p50Ms: number;
  /** Set only for scenarios with a goal for the 95th percentile. */
  readonly p95Ms?: number;
  readonly p99Ms: number;
  readonly succeeded: number;
  /** The duration of the load. */
  readonly seconds: number;
  /** CPU microseconds per response. Null if the system does not report CPU times. */
  readonly cpu: {
    readonly service: number;
    readonly postgres: number;
    readonly load: number;
  } | null;
  /** For webhooks and notifications: milliseconds from the end of the load to the last arrival. */
  readonly backlogMs?: number;
  /** For downloads: the maximum growth of the service's memory during the run. */
  readonly grownMegabytes?: number;
  /** The costs of charges besides CPU time. */
  readonly storage?: Storage;
  /** The violated guarantees. If there are any, the figure is invalid. */
  readonly violations: readonly string[];
  /** The costs by function and statement, if the run was profiled. */
  readonly profile?: Profile;
};

/** The bytes that one charge adds to the database, and the service's database connections after the load. */
export type Storage = {
  readonly walBytes: number;
  /** The growth of tables and indexes per charge. */
  readonly tableBytes: number;
  readonly connections: number;
};

/** The duration of a run, and a label that distinguishes its idempotency keys from the keys of other runs. */
export type Run = { readonly seconds: number; readonly label: string };

type MeasureOptions = {
  /** The rate of an open loop, or null for a closed loop. */
  readonly rate?: number | null;
  /**
   * Waits for the work that the load caused and that continues after the last response. The CPU time of this work
   * counts as CPU time of the load.
   */
  readonly afterLoad?: () => Promise<void>;
};

/** Sends a load to a process and measures it. */
export function measure(
  environment: Environment,
  pid: number,
  load: Load,
  { rate = null, afterLoad }: MeasureOptions = {},
): Promise<Measurement> {
  return measureRun(environment, pid, async () => {
    const result = await send(environment, load, rate);
    await afterLoad?.();
    return result;
  });
}

/** Measures a process while `run` runs. */
export async function measureRun(
  environment: Environment,
  pid: number,
  run: () => Promise<LoadResult>,
): Promise<Measurement> {
  const profile = await environment.startProfile?.(pid);
  const before = cpuSeconds(environment, pid);
  const result = await run();
  const after = cpuSeconds(environment, pid);
  const micros = (part: "service" | "postgres" | "load"): number =>
    before && after ? ((after[part] - before[part]) * 1e6) / result.succeeded : Number.NaN;
  const { succeeded, seconds, p50Ms, p99Ms, failed } = result;
  return {
    succeeded,
    seconds,
    p50Ms,
    p99Ms,
    perSecond: succeeded / seconds,
    cpu: before && {
      service: micros("service"),
      postgres: micros("postgres"),
      load: micros("load"),
    },
    violations: failed === 0 ? [] : [`${failed} requests failed`],
    ...(profile && { profile: await profile.stop() }),
  };
}

function send(environment: Environment, load: Load, rate: number | null): Promise<LoadResult> {
  return environment.wrk && rate === null ? loadWithWrk(load) : runGenerator({ ...load, rate });
}

function cpuSeconds(environment: Environment, pid: number) {
  const service = usageWithWorkers(pid);
  const postgres = usageOfPostgres(environment.postgres.pid);
  const load = cpuSecondsOfEndedChildren();
  if (!service || !postgres || load === null) return null;
  return { service: service.cpuSeconds, postgres: postgres.cpuSeconds, load };
}
