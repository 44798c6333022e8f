import { parseArgs } from "node:util";

export type Options = {
  /** The duration of each run. */
  readonly seconds: number;
  /** The number of runs of each scenario. The table shows the median. */
  readonly runs: number;
  /** Selects scenarios by name. */
  readonly only: RegExp | null;
  /** The number of charges in a second database. 0: no second database. */
  readonly rows: number;
  /** True if every run is profiled. Profiling makes a run slower. */
  readonly profile: boolean;
  /** The numbers of server processes with which charges are measured, in addition to a single one. */
  readonly processes: readonly number[];
  /** The file to which the figures are written as JSON, or null. */
  readonly json: string | null;
};

export const usage = `npm run bench -- [options]

  --seconds N     measure each run for N seconds (8)
  --runs N        measure each scenario N times and show the median (3)
  --only PATTERN  only the scenarios whose name matches this regular expression
  --rows N        also measure charges and reads on a database that holds N charges of 1,000 merchants
  --profile       also print CPU time by function and cost by statement; the profile slows each run
  --processes N   also measure charges with N server processes, or with each of several numbers such as 2,4
  --json FILE     also write the figures to a file, for \`npm run scaling\``;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "8" },
      runs: { type: "string", default: "3" },
      only: { type: "string" },
      rows: { type: "string", default: "0" },
      profile: { type: "boolean", default: false },
      processes: { type: "string" },
      json: { type: "string" },
    },
  });
  return {
    seconds: count("seconds", values.seconds, 1),
    runs: count("runs", values.runs, 1),
    only: values.only === undefined ? null : new RegExp(values.only),
    rows: count("rows", values.rows, 0),
    profile: values.profile,
    json: values.json ?? null,
    processes: (values.processes?.split(",") ?? []).map((text) => count("processes", text, 2)),
  };
}

function count(name: string, text: string, min: number): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= min) return number;
  throw new Error(`--${name} must be an integer of at least ${min}. Got '${text}'.\n\n${usage}`);
}
