import type { Measurement } from "./measurement.ts";
import { medianBy } from "./percentile.ts";

/** A goal for the figures of one run of the benchmark. Ratios hold on any idle machine with two cores. */
export type Goal = {
  readonly name: string;
  /** The names of the scenarios whose measurements are passed to `value`, in this order. */
  readonly scenarios: readonly string[];
  readonly value: (...measured: Measurement[]) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** True if the goal applies only to a machine whose HTTP ceiling is at least `minCeiling`. */
  readonly needsFastMachine?: boolean;
};

/**
 * The requests per second that the HTTP server alone must reach for the goals with `needsFastMachine`. A machine with
 * half the speed cannot process 3,000 charges per second, and the latency of an open loop at this rate is then
 * unlimited.
 */
export const minCeiling = 40_000;

const ceiling = "ceiling: the HTTP server alone, 256 connections";
const charges = "charges alone, 256 connections";
const openLoop = "charges, open loop at 3,000/s";
const wholeSystem = "whole system, 256 connections";

const ofMany = (merchants: string, connections: number) =>
  `charges of ${merchants}, ${connections} connections`;

const cpuOf = ({ cpu }: Measurement): number => (cpu?.service ?? Number.NaN) + (cpu?.postgres ?? 0);

const ratio = (one: Measurement, other: Measurement): number => one.perSecond / other.perSecond;

export const goals: readonly Goal[] = [
  {
    name: "durable charges, relative to plain transactions",
    scenarios: [charges, "floor: plain transactions, 256 connections"],
    value: ratio,
    atLeast: 5,
  },
  {
    name: "durable charges, relative to one statement per phase",
    scenarios: [charges, "floor: one statement per phase, 256 connections"],
    value: ratio,
    atLeast: 2,
  },
  {
    name: "durable charges, share of the HTTP ceiling",
    scenarios: [charges, ceiling],
    value: ratio,
    atLeast: 0.18,
  },
  {
    name: "durable charges, relative to stripe-stateful-mock",
    scenarios: [charges, "peer: stripe-stateful-mock, 256 connections"],
    value: ratio,
    atLeast: 1,
  },
  {
    name: "durable charges per second",
    scenarios: [charges],
    value: ({ perSecond }) => perSecond,
    atLeast: 8_000,
    needsFastMachine: true,
  },
  {
    name: "open loop at 3,000/s, p50 in ms",
    scenarios: [openLoop],
    value: ({ p50Ms }) => p50Ms,
    atMost: 4,
    needsFastMachine: true,
  },
  {
    name: "open loop at 3,000/s, p99 in ms",
    scenarios: [openLoop],
    value: ({ p99Ms }) => p99Ms,
    atMost: 15,
    needsFastMachine: true,
  },
  {
    name: "charges per second with every webhook delivered",
    scenarios: [wholeSystem],
    value: ({ perSecond }) => perSecond,
    atLeast: 5_000,
    needsFastMachine: true,
  },
  {
    name: "webhook backlog when the load ends, in ms",
    scenarios: [wholeSystem],
    value: ({ backlogMs = Number.NaN }) => backlogMs,
    atMost: 500,
  },
  ...[64, 256].map((connections) => ({
    name: `charges of 1,000 merchants, relative to one merchant, ${connections} connections`,
    scenarios: [ofMany("1,000 merchants", connections), ofMany("1 merchant", connections)],
    value: ratio,
    atLeast: 0.8,
  })),
  {
    name: "charges of 10,000 merchants by Zipf's law, relative to one merchant",
    scenarios: [ofMany("10,000 merchants by Zipf's law", 256), ofMany("1 merchant", 256)],
    value: ratio,
    atLeast: 0.7,
  },
  {
    name: "CPU time of Postgres for a charge of 1,000 merchants, relative to one merchant",
    scenarios: [ofMany("1,000 merchants", 256), ofMany("1 merchant", 256)],
    value: (many, one) => (many.cpu?.postgres ?? Number.NaN) / (one.cpu?.postgres ?? Number.NaN),
    atMost: 1.3,
  },
  {
    name: "charges of 1,000 merchants with every webhook delivered, relative to one merchant",
    scenarios: [
      "whole system of 1,000 merchants, 256 connections",
      "whole system of 1 merchant, 256 connections",
    ],
    value: ratio,
    atLeast: 0.8,
  },
  {
    name: "webhook backlog of 1,000 merchants when the load ends, in ms",
    scenarios: ["whole system of 1,000 merchants, 256 connections"],
    value: ({ backlogMs = Number.NaN }) => backlogMs,
    atMost: 500,
  },
  {
    name: "open loop of 1,000 merchants at 3,000/s, p99 in ms",
    scenarios: ["charges of 1,000 merchants, open loop at 3,000/s"],
    value: ({ p99Ms }) => p99Ms,
    atMost: 25,
    needsFastMachine: true,
  },
  ...[2, 4].map((processes) => ({
    name: `CPU time of service and Postgres for a charge with ${processes} processes, relative to one`,
    scenarios: [`charges alone, ${processes} processes, 256 connections`, charges],
    value: (several: Measurement, one: Measurement) => cpuOf(several) / cpuOf(one),
    atMost: 1.1,
  })),
  {
    name: "live charges, relative to the same charges in test mode",
    scenarios: [
      "live charges, acquirer responds after 0 ms, 256 connections",
      "charges of a saved card, 256 connections",
    ],
    value: ratio,
    atLeast: 0.7,
  },
  {
    name: "acquirer notifications at 500/s, p95 in ms",
    scenarios: ["acquirer notifications, open loop at 500/s"],
    value: ({ p95Ms = Number.NaN }) => p95Ms,
    atMost: 50,
  },
  {
    name: "lists of 100 charges per second",
    scenarios: ["lists of 100 charges, 64 connections"],
    value: ({ perSecond }) => perSecond,
    atLeast: 2_500,
  },
  {
    name: "lists of 100 charges, another page each, per second",
    scenarios: ["lists of 100 charges, another page each, 64 connections"],
    value: ({ perSecond }) => perSecond,
    atLeast: 800,
  },
  {
    name: "lines of a CSV download per second",
    scenarios: ["CSV download of 100,000 charges"],
    value: ({ perSecond }) => perSecond,
    atLeast: 100_000,
  },
  {
    name: "growth of the server's memory during a CSV download, in MB",
    scenarios: ["CSV download of 100,000 charges"],
    value: ({ grownMegabytes = Number.NaN }) => grownMegabytes,
    atMost: 32,
  },
  {
    name: "charges of 1,000 merchants on a filled database, relative to an empty one",
    scenarios: [
      "charges of 1,000 merchants on the filled database, 256 connections",
      ofMany("1,000 merchants", 256),
    ],
    value: ratio,
    atLeast: 0.85,
  },
  {
    name: "reads of a charge on a filled database, relative to an empty one",
    scenarios: [
      "reads of a charge on the filled database, 64 connections",
      "reads of a charge, 64 connections",
    ],
    value: ratio,
    atLeast: 0.9,
  },
];

/** A server process of this size fits next to Postgres on the smallest machines that cloud providers rent out. */
export const maxServerMegabytes = 200;

export type EvaluatedGoal = {
  readonly goal: string;
  readonly value: number;
  /** Null if the goal does not apply to this machine. */
  readonly met: boolean | null;
};

/**
 * Evaluates the goals whose scenarios were measured. Each round gives one value, and the goal is compared with the
 * median of these values. The runs of one round follow each other, so a machine that becomes slower between two rounds
 * does not change a ratio. If the run did not measure the ceiling, every goal counts as applicable.
 */
export function evaluateGoals(runs: ReadonlyMap<string, readonly Measurement[]>): EvaluatedGoal[] {
  const ceilings = (runs.get(ceiling) ?? []).map(({ perSecond }) => perSecond);
  const isSlow = ceilings.length > 0 && medianBy(ceilings, Number) < minCeiling;
  return goals.flatMap(({ name, scenarios, value, atLeast, atMost, needsFastMachine }) => {
    const found = scenarios.flatMap((name) => {
      const measured = runs.get(name) ?? [];
      return measured.length > 0 ? [measured] : [];
    });
    if (found.length < scenarios.length) return [];
    const values = roundsOf(found).map((round) => value(...round));
    const median = values.some(Number.isNaN) ? Number.NaN : medianBy(values, Number);
    const evaluated = evaluateGoal(name, median, { atLeast, atMost });
    return [isSlow && needsFastMachine ? { ...evaluated, met: null } : evaluated];
  });
}

/** Returns the runs of each round. If a scenario ran only once, this run is part of every round. */
function roundsOf(scenarios: readonly (readonly Measurement[])[]): Measurement[][] {
  const rounds = Math.max(...scenarios.map((runs) => runs.length));
  return Array.from({ length: rounds }, (_, round) =>
    scenarios.map((runs) => runs[Math.min(round, runs.length - 1)] as Measurement),
  );
}

export function evaluateGoal(
  name: string,
  value: number,
  { atLeast, atMost }: { atLeast?: number | undefined; atMost?: number | undefined },
): EvaluatedGoal {
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  // A value of NaN meets no goal, because every comparison with NaN is false.
  const met = value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Infinity);
  return { goal: `${name} (${bound})`, value, met };
}
