import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { printReport } from "@florin/server/insights/verify/print-report.ts";
import { verify as verifyDatabase } from "@florin/server/insights/verify/verify.ts";
import { withDatabase } from "./with-database.ts";

/** `florin verify [--cards] [--json] [--stuck-after <seconds>]`: exits with 0 when all checks pass, and 1 otherwise. */
export async function verify(config: Config, arguments_: string[]): Promise<number> {
  const { cards, json, stuckAfterMs } = readArguments(arguments_);
  const report = await withDatabase(config, (database) =>
    verifyDatabase(database, { cards, stuckAfterMs }),
  );
  console.log(json ? JSON.stringify(report, null, 2) : printReport(report));
  return report.violations === 0 ? 0 : 1;
}

function readArguments(arguments_: string[]) {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      cards: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      "stuck-after": { type: "string", default: "120" },
    },
  });
  const seconds = Number(values["stuck-after"]);
  if (!(seconds >= 0)) throw new WrongSetting("--stuck-after must be a number of seconds.");
  return { cards: values.cards, json: values.json, stuckAfterMs: seconds * 1000 };
}
