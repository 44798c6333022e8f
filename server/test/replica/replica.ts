import { parseArgs } from "node:util";
import { percentile } from "../../../bench/percentile.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { endProcess } from "../../src/platform/processes/end-process.ts";
import type { Request } from "./replica-load.ts";
import { isRead, type ReplicaFigures, runReplicaCheck } from "./replica-run.ts";

/**
 * `npm run replica:check` makes a read replica lag, suspends it and kills it while merchants charge and read, and
 * checks that no request fails and that each read contains every earlier charge (docs/operating/high-availability.md).
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    merchants: { type: "string", default: "4" },
  },
});

/** The maximum time of a read, including a read that was in flight on the replica when the replica failed. */
const maxReadMs = 10_000;

console.log(`── replica loss and lag, ${values.merchants} merchants`);
const figures = await runReplicaCheck(
  { seconds: Number(values.seconds), merchants: Number(values.merchants) },
  console.log,
);
for (const line of summaryOf(figures)) console.log(line);
const violations = violationsOf(figures);
for (const line of violations) console.error(line);
// Exits explicitly, because esbuild may leave a child process running.
endProcess(violations.length === 0 ? 0 : 1);

function violationsOf({ phases, report }: ReplicaFigures): string[] {
  return [
    ...(report.violations > 0 ? [printReport(report)] : []),
    ...phases.flatMap(({ name, requests, inFlight }) => {
      const slow = [...requests, ...inFlight].filter(
        (one) => isRead(one) && timeOf(one) > maxReadMs,
      );
      return [
        ...requests.flatMap(({ kind, problem }) =>
          problem === null ? [] : [`A request failed (${name}, ${kind}): ${problem.slice(0, 200)}`],
        ),
        ...requests.flatMap(({ kind, stale }) =>
          stale === null ? [] : [`A read lacked a charge (${name}, ${kind}): ${stale}`],
        ),
        ...slow.map((one) => `A read took ${ms(timeOf(one))} (${name}, ${one.kind}).`),
        ...(requests.length === 0 ? [`No request was sent (${name}).`] : []),
      ];
    }),
  ];
}

function summaryOf({ phases, charges, report }: ReplicaFigures): string[] {
  const all = phases.flatMap(({ requests }) => requests);
  const reads = all.filter(isRead);
  return [
    `── ${charges} charges acknowledged, ${report.violations} violations, ` +
      `${all.filter((one) => !isRead(one) && one.problem !== null).length} charges failed`,
    `${reads.length} reads, ${reads.filter(({ problem }) => problem !== null).length} failed, ` +
      `${reads.filter(({ stale }) => stale !== null).length} lacked an earlier charge`,
    ...phases.flatMap(({ name, requests, inFlight, fallbackMs, returnMs }) => [
      `${name}:`,
      `  reads    ${timesOf(requests.filter(isRead))}`,
      `  charges  ${timesOf(requests.filter((one) => !isRead(one)))}`,
      ...(fallbackMs === null
        ? []
        : [
            `  the primary answered the first read after ${ms(fallbackMs)}. ${inFlight.length} reads were in flight, ` +
              `the longest took ${ms(Math.max(0, ...inFlight.map(timeOf)))}`,
          ]),
      ...(returnMs === null ? [] : [`  the replica served reads after ${ms(returnMs)}`]),
    ]),
  ];
}

function timesOf(requests: readonly Request[]): string {
  const times = Float64Array.from(requests, timeOf);
  const at = (share: number) => ms(percentile(times, share));
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}, ${times.length} samples`;
}

function timeOf({ sentAt, endedAt }: Request): number {
  return endedAt - sentAt;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
