import type { AcquirerHealth } from "../../acquiring/acquirer-health.ts";
import type { Processor } from "../../acquiring/processor.ts";
import type { AccountId } from "../../core/ids.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { bringInquiriesForward } from "../commit/due-work.sql.ts";
import { readUnresolvedCharge, readUnresolvedOperation } from "./recovery-sweep.sql.ts";

type RecoveryDeps = Pick<ChargeDeps, "database" | "clock" | "acquirers"> & {
  readonly acquirerHealth: AcquirerHealth;
  readonly log: RecoveryLog;
};

export type RecoveryLog = {
  acquirerUnreachable(): void;
  acquirerRecovered(): void;
};

/** The interval of health probes while the acquirer is unreachable and a charge or operation waits for its outcome. */
const probeEveryMs = 15_000;

/** Inquiries due within this time are not brought forward. */
const dueSoonMs = 60_000;

/** The minimum time between recovery sweeps, so that an unstable acquirer does not cause one at each recovery. */
const minIntervalMs = 5 * 60_000;

/** The maximum number of rows that one statement locks. */
const batchSize = 1_000;

/**
 * Starts the job that makes all pending inquiries at the simulator due when the simulator recovers. The next scheduled
 * inquiry may otherwise be an hour away while the customer waits. Charges of live acquirers are not changed, because
 * `acquirerHealth` describes only the simulator.
 */
export function startRecoverySweep(
  { database, clock, acquirers, acquirerHealth, log }: RecoveryDeps,
  background: Background,
): Loop {
  let sweepPending = false;
  let nextProbeAt = 0;
  let nextSweepAt = 0;

  /**
   * Sends a status inquiry only to check whether the acquirer responds, and discards the result. It does not count as
   * an inquiry of the charge or change its schedule.
   */
  async function probe(): Promise<void> {
    const charge = await readUnresolvedCharge(database.read);
    if (charge) {
      await simulatorOf(charge)?.inquire?.({
        ...charge,
        acquirerReference: null,
        attempt: "probe",
        series: "probe",
        // The simulator finds the charge by its reference alone.
        capture: true,
        statementDescriptor: null,
      });
      return;
    }
    const operation = await readUnresolvedOperation(database.read);
    if (operation) {
      const inquiry = { ...operation, chargeReference: null };
      await simulatorOf(operation)?.inquireOperation?.(inquiry);
    }
  }

  function simulatorOf({ account }: { readonly account: AccountId }): Processor | null {
    return acquirers.of({ scope: { account, livemode: false }, assignmentId: null });
  }

  async function bringAllInquiriesForward(now: Date): Promise<void> {
    const later = new Date(now.getTime() + dueSoonMs);
    while (await database.transaction((tx) => bringInquiriesForward(tx, now, later, batchSize)));
  }

  return startLoop({
    name: "recovery sweep",
    everyMs: 1_000,
    background,
    async work() {
      const now = clock.now();
      if (acquirerHealth.isUnreachable()) {
        if (!sweepPending) log.acquirerUnreachable();
        sweepPending = true;
        if (now.getTime() < nextProbeAt) return false;
        nextProbeAt = now.getTime() + probeEveryMs;
        await probe();
        // Requests another round of the loop, which checks whether the acquirer responded.
        return true;
      }
      if (!sweepPending || now.getTime() < nextSweepAt) return false;
      await bringAllInquiriesForward(now);
      log.acquirerRecovered();
      sweepPending = false;
      nextSweepAt = now.getTime() + minIntervalMs;
      return false;
    },
  });
}
