import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Environment, type ProcessUsage, startEnvironment } from "./environment.ts";
import { evaluateGoal, evaluateGoals, maxServerMegabytes, minCeiling } from "./goals.ts";
import type { Measurement } from "./measurement.ts";
import { type Options, readOptions } from "./options.ts";
import { medianBy } from "./percentile.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { scenariosFor } from "./scenarios/scenarios.ts";
import { oneDecimal, table, whole } from "./table.ts";

/**
 * The maximum time of a warm-up. A warm-up takes three times as long as a run, up to this time, so that V8 compiles
 * most of the code before the measurement. In the first 15 seconds of live charges, V8 spends 7 % of the CPU time on
 * compilation. After 40 seconds, it spends 0.3 %, but a warm-up of 40 seconds would double the time of the benchmark.
 */
const maxWarmUpSeconds = 15;

/** The maximum number of functions, and of statements, in the printed profile of a scenario. */
const profileRows = 30;

/**
 * `npm run bench`: measures the service, its floors (simpler ways to write the rows), its ceiling (the HTTP server
 * alone) and its peers. All are measured in one run on one machine, because figures of different runs are not
 * comparable.
 */
const options = readOptions(process.argv.slice(2));
const environment = await startEnvironment(options);
process.once("SIGINT", () => void environment.close().finally(() => process.exit(130)));
try {
  process.exitCode = await bench(environment, options);
} finally {
  await environment.close();
}

async function bench(on: Environment, chosen: Options): Promise<number> {
  const scenarios = scenariosFor(chosen);
  const warmUpSeconds = Math.min(3 * chosen.seconds, maxWarmUpSeconds);
  for (const scenario of scenarios) await warmUp(on, scenario, warmUpSeconds);
  const runs = await measureInRounds(on, scenarios, chosen);
  const medians = new Map(
    [...runs].map(([name, measured]) => [name, medianBy(measured, (run) => run.perSecond)]),
  );
  const usage = await on.usage();
  console.log(`\n${measurementTable(runs)}\n\n${usageTable(usage)}\n\n${goalTable(runs, usage)}`);
  console.log(`\n${describeRun(on, scenarios, chosen)}`);
  if (chosen.json) writeFileSync(chosen.json, figuresOf(medians, usage));
  if (chosen.profile) console.log(`\n${profileTables(runs)}`);
  return printViolations(runs) ? 1 : 0;
}

/**
 * Runs a scenario once before the measurement, so that code is compiled, caches are filled and modules are loaded.
 */
async function warmUp(
  on: Environment,
  { name, measure }: Scenario,
  seconds: number,
): Promise<void> {
  console.error(`warm-up: ${name}`);
  await measure(on, { seconds, label: `warm-up ${name}` });
}

/**
 * Measures the scenarios in rounds, so that a disturbance of the machine does not affect only one scenario. Scenarios
 * with `once` are measured only in the first round.
 */
async function measureInRounds(
  on: Environment,
  scenarios: readonly Scenario[],
  { runs, seconds }: Options,
): Promise<Map<string, Measurement[]>> {
  const measured = new Map<string, Measurement[]>(scenarios.map(({ name }) => [name, []]));
  for (let round = 1; round <= runs; round++) {
    for (const { name, measure, once } of scenarios) {
      if (once && round > 1) continue;
      const run = await measure(on, { seconds, label: `run ${round} ${name}` });
      measured.get(name)?.push(run);
      console.error(`round ${round} of ${runs}: ${name}: ${whole(run.perSecond)}/s`);
    }
  }
  return measured;
}

function measurementTable(runs: ReadonlyMap<string, readonly Measurement[]>): string {
  const header = ["scenario", "per second", "slowest–fastest", "p50 ms", "p99 ms"];
  const cpuHeader = ["µs service", "µs postgres", "µs load", "backlog ms"];
  const rows = [...runs].map(([name, measured]) => {
    const { perSecond, p50Ms, p99Ms, cpu, backlogMs } = medianBy(measured, (run) => run.perSecond);
    const speeds = measured.map((run) => run.perSecond);
    return [
      name,
      whole(perSecond),
      `${whole(Math.min(...speeds))}–${whole(Math.max(...speeds))}`,
      oneDecimal(p50Ms),
      oneDecimal(p99Ms),
      whole(cpu?.service ?? null),
      whole(cpu?.postgres ?? null),
      whole(cpu?.load ?? null),
      backlogMs === undefined ? "" : whole(backlogMs),
    ];
  });
  return table([...header, ...cpuHeader], rows);
}

/** Returns the median run of each scenario and the memory of each process as JSON. */
function figuresOf(
  medians: ReadonlyMap<string, Measurement>,
  usage: readonly ProcessUsage[],
): string {
  const scenarios = Object.fromEntries(
    [...medians].map(([name, { profile: _, ...measured }]) => [name, measured]),
  );
  const megabytes = Object.fromEntries(usage.map(({ process, megabytes }) => [process, megabytes]));
  const figures = { cores: availableParallelism(), scenarios, megabytes };
  return `${JSON.stringify(figures, null, 2)}\n`;
}

function usageTable(usage: readonly ProcessUsage[]): string {
  return table(
    ["process", "CPU s", "MB after the load"],
    usage.map(({ process, cpuSeconds, megabytes }) => [
      process,
      oneDecimal(cpuSeconds ?? null),
      whole(megabytes ?? null),
    ]),
  );
}

function goalTable(
  runs: ReadonlyMap<string, readonly Measurement[]>,
  usage: readonly ProcessUsage[],
): string {
  const server = usage.find(({ process }) => process === "server")?.megabytes;
  const goals = evaluateGoals(runs);
  if (server)
    goals.push(
      evaluateGoal("server memory after the load, in MB", server, { atMost: maxServerMegabytes }),
    );
  return table(
    ["goal", "measured", ""],
    goals.map(({ goal, value, met }) => [
      goal,
      value < 100 ? value.toFixed(2) : whole(value),
      met === null ? `needs a ceiling of ${whole(minCeiling)}/s` : met ? "met" : "MISSED",
    ]),
  );
}

/** Returns the cost per response of each function and each statement, in the last run of each scenario. */
function profileTables(runs: ReadonlyMap<string, readonly Measurement[]>): string {
  const tables = [...runs].flatMap(([name, measured]) => {
    const last = measured.at(-1);
    if (!last?.profile) return [];
    const perResponse = (sum: number): string => (sum / last.succeeded).toFixed(2);
    const functions = last.profile.functions.slice(0, profileRows);
    const statements = last.profile.statements.slice(0, profileRows);
    return [
      table(
        [`CPU by function: ${name}`, "µs per response"],
        functions.map(({ name: of, selfMs }) => [of, perResponse(selfMs * 1000)]),
      ),
      table(
        [
          `Statements: ${name}`,
          "calls",
          "plans",
          "rows",
          "µs planning/response",
          "µs execution/response",
          "WAL bytes/response",
        ],
        statements.map(({ text, calls, plans, rows, planningMs, milliseconds, walBytes }) => [
          text.slice(0, 100),
          whole(calls),
          whole(plans),
          whole(rows),
          perResponse(planningMs * 1000),
          perResponse(milliseconds * 1000),
          perResponse(walBytes),
        ]),
      ),
    ];
  });
  return tables.join("\n\n");
}

function describeRun(
  on: Environment,
  scenarios: readonly Scenario[],
  { runs, seconds }: Options,
): string {
  const generator = on.wrk
    ? "wrk, except in open loops"
    : "the built-in JavaScript generator, which uses more CPU than wrk (not installed)";
  const single = scenarios.filter(({ once }) => once).map(({ name }) => name);
  const exception = runs > 1 && single.length > 0 ? ` One run only: ${single.join("; ")}.` : "";
  return (
    `Medians of ${runs} runs of ${seconds} s, on ${availableParallelism()} cores, shared with the load generator; fsync on; ` +
    `load by ${generator}. µs: CPU time per response.${exception}`
  );
}

/**
 * Prints violated guarantees and returns whether there are any. The figure of a run that lost a row or a webhook is
 * invalid.
 */
function printViolations(runs: ReadonlyMap<string, readonly Measurement[]>): boolean {
  const violations = [...runs].flatMap(([name, measured]) =>
    measured.flatMap((run) => run.violations.map((sentence) => `${name}: ${sentence}`)),
  );
  for (const sentence of violations) console.error(`FAILED  ${sentence}`);
  return violations.length > 0;
}
