import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { timeOutAuthentication } from "./authenticate-charge.ts";
import { claimDueCharges } from "./charge.sql.ts";
import type { MovingCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { reconcileCharge } from "./reconcile-charge.ts";

/** The number of concurrent inquiries per round. Each mostly waits for the acquirer. */
const inquiriesAtOnce = 32;

/** Covers an inquiry and a reversal of 20 s each, and the recording. */
const inquiryLeaseMs = 60_000;

/** Finishes charges with an unknown outcome and challenges past their deadline. */
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

/** Catches the failure of one charge so that the others continue. Its lease expires and it is claimed again. */
async function finish(deps: ChargeDeps, charge: MovingCharge): Promise<void> {
  try {
    if (charge.status === "processing") await reconcileCharge(deps, charge);
    else await timeOutAuthentication(deps, charge);
  } catch (error) {
    deps.log.inquiryFailed(charge.id, error);
  }
}
