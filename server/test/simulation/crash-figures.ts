import type { CrashFigures } from "./crash-rounds.ts";

/** Describes the figures of a run, in one sentence each. */
export function figuresOf(figures: CrashFigures): string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return [
    `${figures.rounds} rounds (${figures.roundsPerMinute.toFixed(1)} a minute): ${figures.kills} servers and ${figures.workerKills} processes killed, ` +
      `Postgres crashed ${figures.databaseCrashes} times, ${figures.suspensions} suspensions`,
    `${figures.charges} payments acknowledged, ${figures.retries} requests sent again, ` +
      `${figures.inquiriesExhausted} charges without an outcome after several inquiries`,
    `every outcome known ${seconds(figures.outcomesKnownAfterMs)} and every event delivered ` +
      `${seconds(figures.deliveredAfterMs)} after the last crash`,
    `checked in ${seconds(figures.report.durationMs)}: ${figures.report.violations} violations`,
  ];
}
