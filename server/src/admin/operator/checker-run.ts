import { setTimeout as sleep } from "node:timers/promises";
import type { CheckerReport, CheckerRun } from "@florin/contract/operator.ts";
import { maskCardNumbers } from "../../core/card-number-in-text.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type CheckerRunKind,
  claimRun,
  endRun,
  type LeasedRun,
  renewRun,
  type StoredRun,
} from "../../insights/monitoring/checker-run.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import { isUnavailable } from "../../platform/database/unavailable.ts";

export type CheckerDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** The duration of a lease. */
  readonly leaseMs?: number;
  /** The interval between renewals. */
  readonly renewEveryMs?: number;
};

/** The default lease. When it expires, another process takes over the run. */
const defaultLeaseMs = 2 * 60_000;
const defaultRenewEveryMs = 30_000;

/**
 * Claims an open run, executes it and records the outcome. Returns whether it recorded an outcome. The lease is renewed
 * during the run. If the process shuts down, it releases the lease. If the process dies, the lease expires and another
 * process starts the run again. A process that was suspended beyond its lease cannot record an outcome.
 */
export async function executeOpenRun(
  deps: CheckerDeps,
  kind: CheckerRunKind,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<CheckerReport>,
): Promise<boolean> {
  const { database, clock, leaseMs = defaultLeaseMs } = deps;
  const now = clock.now();
  const until = new Date(now.getTime() + leaseMs);
  const run = await database.autocommit((tx) => claimRun(tx, kind, now, until));
  if (!run) return false;

  const lease = startLeaseRenewal(deps, run);
  const signal = AbortSignal.any([stopping, lease.lost]);
  const outcome = await work(signal).then(
    (report) => ({ report, error: null, cause: null }),
    // An error, such as a statement timeout, is also a result for the operator.
    (error: unknown) => ({ report: null, error: maskCardNumbers(String(error)), cause: error }),
  );
  const held = await lease.stopRenewing();
  if (lease.lost.aborted) return false;
  if (outcome.report === null && stopping.aborted) {
    await database.autocommit((tx) => renewRun(tx, held, null));
    return false;
  }
  // The outcome cannot be written while the database is unavailable. The lease expires, and the run starts again later.
  if (isUnavailable(outcome.cause)) throw outcome.cause;
  await database.autocommit((tx) => endRun(tx, held, outcome, clock.now()));
  return true;
}

/** Renews a lease until it is stopped. Aborts `lost` when another process has taken over the run. */
function startLeaseRenewal(
  { database, clock, leaseMs = defaultLeaseMs, renewEveryMs = defaultRenewEveryMs }: CheckerDeps,
  run: LeasedRun,
): { readonly lost: AbortSignal; stopRenewing(): Promise<LeasedRun> } {
  const lost = new AbortController();
  const stopping = new AbortController();
  let held = run;
  const renewing = renew();

  async function renew(): Promise<void> {
    while (!lost.signal.aborted) {
      await sleep(renewEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const leasedUntil = new Date(clock.now().getTime() + leaseMs);
      try {
        if (await database.autocommit((tx) => renewRun(tx, held, leasedUntil))) {
          held = { ...held, leasedUntil };
        } else {
          lost.abort(new Error("checker run: another process has taken over the lease"));
        }
      } catch {
        // The database is unavailable. The next renewal checks whether the lease is still held.
      }
    }
  }

  return {
    lost: lost.signal,
    async stopRenewing() {
      stopping.abort();
      await renewing;
      return held;
    },
  };
}

export function statusOf(
  { endedAt, error, leasedUntil }: StoredRun,
  now: Date,
): CheckerRun["status"] {
  if (endedAt) return error === null ? "ended" : "failed";
  return leasedUntil && leasedUntil > now ? "running" : "waiting";
}
