import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { percentile } from "../../../bench/percentile.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { endProcess } from "../../src/platform/processes/end-process.ts";
import { phases, type UpgradeFigures, upgrade } from "./upgrade-run.ts";

/**
 * `npm run upgrade:check` upgrades two services under load to a version with further migrations, one after the other,
 * and checks that no payment and no webhook is lost (docs/operating/upgrading.md).
 *
 *     npm run upgrade:check -- --rows 5000000               a larger table
 *     npm run upgrade:check -- --from florin-0.1.0.tgz      from a released version
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    seconds: { type: "string", default: "10" },
    rows: { type: "string", default: "100000" },
    from: { type: "string" },
  },
});

/** The maximum time for which a migration may block a request. */
const maxLockMs = 1_000;
const tooNew = /A newer version of Florin has migrated the database/;

console.log(`── upgrade under load, seed ${values.seed}`);
const figures = await upgrade(
  {
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    rows: Number(values.rows),
    from: values.from ?? null,
  },
  console.log,
);
for (const line of summaryOf(figures)) console.log(line);
const violations = violationsOf(figures);
for (const line of violations) console.error(line);
// Exits explicitly, because esbuild may leave a child process running.
endProcess(violations.length === 0 ? 0 : 1);

function violationsOf({ report, locks, stops, ...rest }: UpgradeFigures): string[] {
  const { oldStartedAgain } = rest;
  const long = [...locks.held, ...locks.statements.filter(({ what }) => /^update/i.test(what))]
    .filter(({ longestMs }) => longestMs > maxLockMs)
    .map(({ what, longestMs }) => `A lock was held for ${longestMs.toFixed(0)} ms: ${what}.`);
  return [
    ...(report.violations > 0 ? [printReport(report)] : []),
    ...rest.missingWebhooks.map((id) => `The event ${id} was never delivered.`),
    ...rest.lostSessions.map((id) => `The session ${id} was paid and is not complete.`),
    ...long,
    ...(locks.longestBlockedMs > maxLockMs
      ? [`A request waited ${locks.longestBlockedMs.toFixed(0)} ms for the migration.`]
      : []),
    ...rest.lockWaits.map((line) => `Postgres logged: ${line}`),
    ...(rest.byOldVersionAfterMigration === 0
      ? ["The old version acknowledged no charge after the migration."]
      : []),
    ...(oldStartedAgain.code !== 1 || !tooNew.test(oldStartedAgain.output)
      ? [
          `The old version started on the new schema (${oldStartedAgain.code}): ${oldStartedAgain.output}`,
        ]
      : []),
    ...stops.flatMap(({ service, code, answered, inFlight }) => [
      ...(code === 0 ? [] : [`${service} exited with ${code}.`]),
      ...(answered === inFlight ? [] : [`${service} dropped ${inFlight - answered} requests.`]),
    ]),
  ];
}

function summaryOf(figures: UpgradeFigures): string[] {
  const { locks, stops, report } = figures;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const list = (times: readonly { what: string; longestMs: number }[]) =>
    times.slice(0, 8).map(({ what, longestMs }) => `  ${ms(longestMs).padStart(9)}  ${what}`);
  const problems = new Map<string, number>();
  for (const { problem } of figures.failures) {
    const text = problem.slice(0, 60);
    problems.set(text, (problems.get(text) ?? 0) + 1);
  }
  return [
    `── ${figures.versions.old} → ${figures.versions.next}`,
    `${figures.charges} charges acknowledged, ${figures.byOldVersionAfterMigration} of them by the old version on the new schema`,
    `0 charges failed after the retries of their clients, ${figures.retries} requests sent again`,
    `lost or duplicated: ${report.violations} violations, ${figures.missingWebhooks.length} of ${figures.webhooks} events missing, ` +
      `${figures.lostSessions.length} sessions lost`,
    `of the charges that were sent once, ${figures.failures.length} failed`,
    ...[...problems].map(([text, count]) => `  ${count}  ${text}`),
    ...phases.map((phase) => {
      const times = figures.latenciesMs[phase];
      const at = (share: number) => ms(percentile(Float64Array.from(times), share));
      return `charges, ${phase}: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}, ${times.length} samples`;
    }),
    ...stops.map(
      ({ service, code, tookMs, inFlight, answered }) =>
        `${service} stopped after ${ms(tookMs)} with exit code ${code}, ${answered} of ${inFlight} requests in flight answered`,
    ),
    `an old process that starts on the new schema exits with ${figures.oldStartedAgain.code}: ` +
      figures.oldStartedAgain.output.trim().split("\n").at(-1),
    `the first new process was ready after ${(figures.migratedAfterMs / 1000).toFixed(1)} s`,
    `a request waited for a lock of the migration for at most ${ms(locks.longestBlockedMs)}, ` +
      `the migration for at most ${ms(locks.longestOwnWaitMs)} (${locks.samples} samples, at most ${ms(locks.longestGapMs)} apart)`,
    "locks of tables that block requests:",
    ...list(locks.held),
    "statements of the migration:",
    ...list(locks.statements),
  ];
}
