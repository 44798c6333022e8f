import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { listStoppedAdvances } from "../commit/clock-advance.sql.ts";
import type { PayoutDeps } from "../payouts/payout.jobs.ts";
import { continueAdvance } from "./advance-clock.ts";

/** The time after which an advance that has moved no rows is continued. A batch takes about 0.1 s. */
const stoppedAfterMs = 10_000;

/** Starts the job that continues the advances of test clocks whose process has died. */
export function startClockAdvances(deps: PayoutDeps, background: Background): Loop {
  return startLoop({
    name: "clock advances",
    everyMs: 5_000,
    background,
    async work(signal) {
      const before = new Date(deps.clock.now().getTime() - stoppedAfterMs);
      for (const advance of await listStoppedAdvances(deps.database.read, before)) {
        // An error for one merchant must not stop the others.
        await continueAdvance(deps, advance, signal).catch((error) =>
          background.onError("clock advances", error),
        );
      }
      return false;
    },
  });
}
