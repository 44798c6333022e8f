import type { CheckerReport } from "@florin/contract/operator.ts";
import { type Report, verify } from "../../insights/verify/verify.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { type CheckerDeps, executeOpenRun } from "./checker-run.ts";

/**
 * Runs the checker when an operator has requested it. On a large database the checker takes minutes, too long for a
 * request.
 */
export function startCheckerRuns(deps: CheckerDeps, background: Background): Loop {
  return startLoop({
    name: "checker runs",
    everyMs: 5_000,
    background,
    work: (signal) =>
      executeOpenRun(deps, "consistency", signal, async () =>
        reportOf(await verify(deps.database)),
      ),
  });
}

function reportOf({ results, violations, durationMs }: Report): CheckerReport {
  return {
    violations,
    duration_ms: Math.round(durationMs),
    results: results.map(({ name, invariant, examined, violations: found, sentences }) => ({
      name,
      invariant,
      examined,
      violations: found,
      sentences,
    })),
  };
}
