import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { printReport } from "@florin/server/insights/verify/print-report.ts";
import { verify as verifyDatabase } from "@florin/server/insights/verify/verify.ts";
import { readSeconds } from "./seconds-option.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin verify [--cards] [--json] [--since <time>] [--stuck-after <seconds>]`: exits with 0 when all checks pass, and
 * 1 otherwise.
 */
export async function verify(config: Config, arguments_: string[]): Promise<number> {
  const { cards, json, since, stuckAfterMs } = readArguments(arguments_);
  const report = await withDatabase(config, (database) =>
    verifyDatabase(database, { cards, since, stuckAfterMs }),
  );
  console.log(json ? JSON.stringify(report, null, 2) : printReport(report));
  return report.violations === 0 ? 0 : 1;
}

/** The maximum of `--stuck-after`: a year. */
const maxStuckAfterSeconds = 365 * 24 * 60 * 60;

function readArguments(arguments_: string[]) {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      cards: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      since: { type: "string" },
      "stuck-after": { type: "string", default: "120" },
    },
  });
  const seconds = readSeconds("--stuck-after", values["stuck-after"], maxStuckAfterSeconds);
  if (values.cards && values.since !== undefined) {
    throw new WrongSetting("--cards searches all rows. Use it without --since.");
  }
  const since = values.since === undefined ? null : timeOf(values.since);
  return { cards: values.cards, json: values.json, since, stuckAfterMs: seconds * 1000 };
}

const unitsMs = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

/** Parses a time, or a duration before now. */
function timeOf(text: string): Date {
  const [, count, unit] = /^([0-9]{1,6})([mhd])$/.exec(text) ?? [];
  const time = unit
    ? new Date(Date.now() - Number(count) * unitsMs[unit as keyof typeof unitsMs])
    : new Date(text);
  // A verification since a time in the future would examine nothing and find no violation.
  if (time.getTime() > Date.now()) {
    throw new WrongSetting(`--since must be a time in the past. Got '${text}'.`);
  }
  if (!Number.isNaN(time.getTime())) return time;
  throw new WrongSetting(
    `--since must be a duration such as 24h, or a time such as 2026-01-31T12:00:00Z. Got '${text}'.`,
  );
}
