import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { findWrk } from "../../../bench/load/wrk.ts";
import { percentile } from "../../../bench/percentile.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { endProcess } from "../../src/platform/processes/end-process.ts";
import { measureCpuPerCharge } from "./cpu-per-charge.ts";
import { cpuReport } from "./cpu-report.ts";
import { installDebian } from "./debian-tree.ts";
import {
  allKinds,
  type FailoverFigures,
  failoverRounds,
  type Kind,
  type Round,
} from "./failover-rounds.ts";

/**
 * `npm run failover -- --count 50` makes the primary of a cluster of three Postgres nodes fail under load, and checks
 * that no acknowledged payment is lost (docs/operating/high-availability.md). Needs root on a Debian machine.
 *
 * `npm run failover -- --measure` causes no failure. It compares the CPU time per charge of four server processes on
 * the cluster with that of one process on one Postgres.
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "3" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    kinds: { type: "string", default: "kill,suspend,cut,kill" },
    measure: { type: "boolean", default: false },
    seconds: { type: "string", default: "10" },
    runs: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "15" },
    inside: { type: "boolean", default: false },
  },
});

/** The maximum time from the election of a primary until the service acknowledges charges. */
const maxAnswersAfterMs = 15_000;

/** Returns the ways in which a primary fails, in turn. */
function kinds(): Kind[] {
  return values.kinds.split(",").map((name) => {
    const kind = allKinds.find((one) => one === name);
    if (!kind)
      throw new Error(
        `\`--kinds\` must be a comma-separated list of ${allKinds.join(", ")}. Got '${name}'.`,
      );
    return kind;
  });
}

if (values.inside) endProcess(await (values.measure ? measure() : run()));
else process.exitCode = await runInside();

/**
 * Runs this script again in namespaces of its own. The network exists only there, and every process ends with the
 * script, even if the script is killed. A shell reaps orphaned processes, which would otherwise look alive to Patroni.
 */
async function runInside(): Promise<number> {
  if (process.getuid?.() !== 0) {
    console.error(
      "`npm run failover` creates network namespaces, so it needs root. Run it as root.",
    );
    return 1;
  }
  await installDebian(console.log);
  const args = [import.meta.filename, "--inside", "--count", values.count, "--seed", values.seed];
  args.push("--kinds", values.kinds);
  if (values.measure) {
    // Installs wrk now, because the namespaces have no network.
    if (!(await findWrk())) {
      console.error("`--measure` needs the load generator wrk. Install it: apt-get install wrk.");
      return 1;
    }
    args.push("--measure", "--seconds", values.seconds, "--runs", values.runs);
    args.push("--warm-up", values["warm-up"]);
  }
  const { status } = spawnSync(
    "unshare",
    [
      ...["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
      ...["bash", "-c", '"$@" & wait $!', "bash", process.execPath, ...process.execArgv, ...args],
    ],
    { stdio: "inherit" },
  );
  return status ?? 1;
}

async function run(): Promise<number> {
  const [count, seed] = [Number(values.count), Number(values.seed)];
  console.log(`── ${count} failovers, seed ${seed}`);
  const figures = await failoverRounds(count, seed, kinds(), console.log);
  const violations = violationsOf(figures);
  for (const line of summaryOf(figures)) console.log(line);
  for (const line of violations) console.error(line);
  return violations.length === 0 ? 0 : 1;
}

async function measure(): Promise<number> {
  const options = {
    seconds: Number(values.seconds),
    runs: Number(values.runs),
    warmUpSeconds: Number(values["warm-up"]),
  };
  const { lines, violations } = cpuReport(await measureCpuPerCharge(options, console.log));
  for (const line of lines) console.log(line);
  for (const line of violations) console.error(line);
  return violations.length === 0 ? 0 : 1;
}

function violationsOf(figures: FailoverFigures): string[] {
  const { report } = figures;
  const slow = figures.rounds.filter((round) => answersAfter(round) > maxAnswersAfterMs);
  return [
    ...(report.violations > 0 ? [printReport(report)] : []),
    ...figures.missingWebhooks.map((id) => `The event ${id} was never delivered.`),
    ...figures.unknownWebhooks.map((id) => `The event ${id} was delivered and is lost.`),
    ...figures.lostSessions.map((id) => `The session ${id} was paid and is not complete.`),
    ...figures.lateWrites.map((write) => `A former primary wrote: ${write}.`),
    ...slow.map(
      (round) =>
        `After a failover (${round.kind}), a server acknowledged no charge for ${answersAfter(round)} ms.`,
    ),
  ];
}

/** Returns the time after which the slower server has acknowledged a charge. */
function answersAfter({ answersAfterMs }: Round): number {
  return Math.max(...answersAfterMs);
}

function summaryOf(figures: FailoverFigures): string[] {
  const { rounds, latenciesMs } = figures;
  const range = (name: string, times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => `${((sorted.at(share) ?? 0) / 1000).toFixed(1)} s`;
    return `${name}: median ${at(Math.floor(sorted.length / 2))}, longest ${at(-1)}`;
  };
  const counts = allKinds.map(
    (kind) => `${rounds.filter((round) => round.kind === kind).length} ${kind}`,
  );
  const latency = (share: number) =>
    `${percentile(Float64Array.from(latenciesMs), share).toFixed(0)} ms`;
  return [
    `── ${rounds.length} failovers (${counts.join(", ")})`,
    `${figures.charges} charges acknowledged, ${figures.retries} requests sent again, ${figures.webhooks} events delivered`,
    `lost or duplicated: ${figures.report.violations} violations, ${figures.missingWebhooks.length} events missing, ` +
      `${figures.unknownWebhooks.length} delivered events unknown, ${figures.lostSessions.length} sessions lost, ` +
      `${figures.lateWrites.length} writes of former primaries`,
    range(
      "a new primary was elected",
      rounds.map((round) => round.electedAfterMs),
    ),
    range("then every server acknowledged a charge", rounds.map(answersAfter)),
    range(
      "the last failed response after the election",
      rounds.map((round) => round.lastFailureAfterMs),
    ),
    range(
      "after its repair, the node was a standby",
      rounds.map((round) => round.wholeAfterMs),
    ),
    `charges while all nodes run: p50 ${latency(0.5)}, p99 ${latency(0.99)}, ${latenciesMs.length} samples`,
  ];
}
