import { type Loop, startLoop } from "../jobs/loop.ts";
import { timeOutAuthentication } from "./authenticate-charge.ts";
import { claimDueCharges } from "./charge.sql.ts";
import type { MovingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { reconcileCharge } from "./reconcile-charge.ts";

/** How many charges one round asks about. All at once, for each waits mostly on the acquirer. */
const inquiriesAtOnce = 32;

/** An inquiry is over by then: 20 s for the acquirer twice, for it may take a reversal, and the settling. */
const inquiryLeaseMs = 60_000;

/** Finishes every charge whose answer never came, and every challenge that nobody finished. */
export function startDueCharges(
  deps: ChargeDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  return startLoop({
    name: "due charges",
    everyMs: 1_000,
    onError,
    async work() {
      const now = deps.clock.now();
      const until = new Date(now.getTime() + inquiryLeaseMs);
      const due = await deps.database.transaction((tx) =>
        claimDueCharges(tx, { now, until, process: deps.processNumber() }, inquiriesAtOnce),
      );
      await Promise.all(due.map((charge) => finish(deps, charge)));
      return due.length === inquiriesAtOnce;
    },
  });
}

/** One charge's trouble is not the others': its lease runs out and it comes due again. */
async function finish(deps: ChargeDeps, charge: MovingCharge): Promise<void> {
  try {
    if (charge.status === "processing") await reconcileCharge(deps, charge);
    else await timeOutAuthentication(deps, charge);
  } catch (error) {
    deps.log.inquiryFailed(charge.id, error);
  }
}
