import type { Line } from "../../acquiring/line.ts";
import { type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { bringInquiriesForward } from "../commit/due.sql.ts";
import { readWaitingCharge, readWaitingOperation } from "./catch-up.sql.ts";
import type { ChargeDeps } from "./charge-deps.ts";

type CatchUpDeps = Pick<ChargeDeps, "database" | "clock" | "processorFor"> & {
  readonly line: Line;
  readonly log: CatchUpLog;
};

export type CatchUpLog = {
  acquirerSilent(): void;
  acquirerAnswers(): void;
};

/** The interval of health probes to an unreachable acquirer while a charge waits for it. */
const knockEveryMs = 15_000;

/** Inquiries due within this time are not brought forward. */
const soonMs = 60_000;

/** The minimum time between recovery sweeps, so that an unstable acquirer does not cause one at each recovery. */
const restMs = 5 * 60_000;

/** The maximum number of rows that one statement locks. */
const atOnce = 1_000;

/**
 * Brings all pending inquiries forward when an unreachable acquirer recovers. The next scheduled inquiry may be an
 * hour away while the customer waits.
 */
export function startCatchingUp(
  { database, clock, processorFor, line, log }: CatchUpDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  let isOwed = false;
  let knockAt = 0;
  let restsUntil = 0;

  /**
   * Sends a status inquiry and discards its result. The charge's own inquiry records the outcome, and this one neither
   * counts nor delays it.
   */
  async function knock(): Promise<void> {
    const charge = await readWaitingCharge(database.read);
    if (charge) {
      const { owner, id } = charge;
      await processorFor(owner)?.inquire({ account: owner.account, reference: id });
      return;
    }
    const operation = await readWaitingOperation(database.read);
    if (!operation) return;
    const { owner, id } = operation;
    await processorFor(owner)?.inquireOperation({ account: owner.account, reference: id });
  }

  async function bringAllForward(now: Date): Promise<void> {
    const later = new Date(now.getTime() + soonMs);
    while (await database.transaction((tx) => bringInquiriesForward(tx, now, later, atOnce)));
  }

  return startLoop({
    name: "recovery sweep",
    everyMs: 1_000,
    onError,
    async work() {
      const now = clock.now();
      if (line.isSilent()) {
        if (!isOwed) log.acquirerSilent();
        isOwed = true;
        if (now.getTime() < knockAt) return false;
        knockAt = now.getTime() + knockEveryMs;
        await knock();
        // The next round checks whether the acquirer responded.
        return true;
      }
      if (!isOwed || now.getTime() < restsUntil) return false;
      await bringAllForward(now);
      log.acquirerAnswers();
      isOwed = false;
      restsUntil = now.getTime() + restMs;
      return false;
    },
  });
}
