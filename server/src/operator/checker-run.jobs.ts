import type { CheckerReport } from "@florin/contract/operator.ts";
import type { Database } from "../database/database.ts";
import { type Loop, type LoopOptions, startLoop } from "../jobs/loop.ts";
import type { Clock } from "../primitives/clock.ts";
import { type Report, verify } from "../verify/verify.ts";
import { claimRun, endRun } from "./checker-run.sql.ts";

/** A run that takes longer than this is begun anew: whoever held it is gone. */
const leaseMs = 60 * 60_000;

/** Runs the checker when an operator has asked for it. It takes minutes on a large database, and no request waits for that. */
export function startCheckerRuns(
  deps: { database: Database; clock: Clock },
  onError: LoopOptions["onError"],
): Loop {
  return startLoop({
    name: "checker runs",
    everyMs: 5_000,
    onError,
    work: () => runChecker(deps),
  });
}

async function runChecker({ database, clock }: { database: Database; clock: Clock }) {
  const now = clock.now();
  const until = new Date(now.getTime() + leaseMs);
  const id = await database.transaction((tx) => claimRun(tx, now, until));
  if (!id) return false;
  const outcome = await verify(database).then(
    (report) => ({ report: reportOf(report), error: null }),
    // The operator reads it: a check that timed out is news as well.
    (error: unknown) => ({ report: null, error: String(error) }),
  );
  await database.transaction((tx) => endRun(tx, id, until, outcome, clock.now()));
  return true;
}

function reportOf({ results, violations, durationMs }: Report): CheckerReport {
  return {
    violations,
    duration_ms: Math.round(durationMs),
    results: results.map(({ name, proves, examined, violations: found, sentences }) => ({
      name,
      proves,
      examined,
      violations: found,
      sentences,
    })),
  };
}
