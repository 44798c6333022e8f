import { medianBy } from "../../../bench/percentile.ts";
import { oneDecimal, table, whole } from "../../../bench/table.ts";
import {
  type CpuFigures,
  type CpuRun,
  connectionsOf,
  parts,
  type Setup,
  setups,
} from "./cpu-per-charge.ts";

/**
 * The maximum CPU time of a charge on the cluster, relative to one process and one Postgres. Both setups have the same
 * number of connections per process, because a process with fewer connections writes smaller batches on any database.
 */
const maxRatio = 1.15;

const setupNames: Readonly<Record<Setup, string>> = {
  single: "1 process, 1 Postgres",
  singleWithAll: "1 process, 1 Postgres",
  cluster: "4 processes, 3 nodes",
};

/** Returns the table of the median runs, and the violations of the limit. */
export function cpuReport(figures: CpuFigures): {
  readonly lines: readonly string[];
  readonly violations: readonly string[];
} {
  const ratioTo = (setup: Setup) =>
    microsOf(medianRun(figures.cluster)) / microsOf(medianRun(figures[setup]));
  const ratio = ratioTo("single");
  const failed = setups.flatMap((setup) => figures[setup]).filter((run) => run.failed > 0);
  return {
    lines: [
      cpuTable(figures),
      `A charge on the cluster takes ${ratio.toFixed(2)} times the CPU time of one process and one Postgres with as many connections ` +
        `per process, and ${ratioTo("singleWithAll").toFixed(2)} times with as many in total.`,
    ],
    violations: [
      ...failed.map((run) => `${run.failed} charges failed.`),
      ...(ratio > maxRatio
        ? [`The ratio with as many connections per process is above ${maxRatio}.`]
        : []),
    ],
  };
}

/** Returns the CPU time of the service and the primary per charge. */
function microsOf({ micros }: CpuRun): number {
  return micros.service + micros.postgres;
}

function medianRun(runs: readonly CpuRun[]): CpuRun {
  return medianBy(runs, microsOf);
}

function cpuTable(figures: CpuFigures): string {
  const header = ["setup", "connections", "per second"];
  const cpuHeader = [
    "µs service",
    "µs primary",
    "µs standbys",
    "µs HAProxy",
    "µs service + primary",
  ];
  return table(
    [...header, ...cpuHeader, "p50 ms", "p99 ms"],
    setups.map((setup) => {
      const run = medianRun(figures[setup]);
      // One value for each service.
      const latency = (of: (one: CpuRun["latencies"][number]) => number) =>
        run.latencies.map((one) => oneDecimal(of(one))).join(", ");
      return [
        setupNames[setup],
        whole(connectionsOf[setup]),
        whole(run.perSecond),
        ...parts.map((part) => whole(run.micros[part])),
        whole(microsOf(run)),
        latency(({ p50Ms }) => p50Ms),
        latency(({ p99Ms }) => p99Ms),
      ];
    }),
  );
}
