import type { SettlementSource } from "../acquiring/processor.ts";
import type { Scope } from "../core/scope.ts";
import { type Background, type Loop, startLoop } from "../platform/jobs/loop.ts";
import { endOf } from "./day.ts";
import { dueDays, retriedForMs } from "./due-days.ts";
import type { ReceiveDeps } from "./receive-settlement-file.ts";
import { reconcileDay } from "./reconcile-day.ts";
import { listReportedDays, listUnreconciled } from "./reconciliation.sql.ts";
import type { Reconciliation } from "./reconciliation.ts";
import { listRestores } from "./restore.sql.ts";

export type ReconciliationDeps = ReceiveDeps & {
  readonly settlementsOf: (scope: Scope) => SettlementSource | null;
};

type JobDeps = ReconciliationDeps & {
  /** Logs a day with open differences. Operators can set an alert on this log line. */
  readonly log: { differences(day: Reconciliation): void };
};

const hourMs = 60 * 60 * 1000;

const batchSize = 100;

/**
 * Reconciles each completed day, and after a restore every day since `restoredTo`, oldest first. Retries a day without a
 * complete file every hour.
 */
export function startReconciliation(deps: JobDeps, background: Background): Loop {
  return startLoop({
    name: "reconciliation",
    everyMs: 60_000,
    background,
    async work(signal) {
      const now = deps.clock.now();
      const since = new Date(now.getTime() - retriedForMs);
      const restores = await listRestores(deps.database.read, since);
      // Results from before a restore compared rows that the restore has replaced.
      const again = new Date(
        Math.max(now.getTime() - hourMs, ...restores.map((one) => one.restoredAt.getTime())),
      );
      for (const day of dueDays(now, restores)) {
        if (signal.aborted) return false;
        const done = await reconcileAll(deps, { day, again }, signal, background);
        if (done === batchSize) return true;
      }
      const days = await listReportedDays(deps.database.read, since, batchSize);
      for (const { scope, day } of days) await reconcileOne(deps, scope, day, signal, background);
      return days.length === batchSize;
    },
  });
}

async function reconcileAll(
  deps: JobDeps,
  { day, again }: { readonly day: string; readonly again: Date },
  signal: AbortSignal,
  background: Background,
): Promise<number> {
  const scopes = await listUnreconciled(deps.database.read, day, endOf(day), again, batchSize);
  for (const scope of scopes) await reconcileOne(deps, scope, day, signal, background);
  return scopes.length;
}

async function reconcileOne(
  deps: JobDeps,
  scope: Scope,
  day: string,
  signal: AbortSignal,
  background: Background,
): Promise<void> {
  const processor = deps.settlementsOf(scope);
  if (signal.aborted || !processor) return;
  // An error for one merchant must not stop the others.
  try {
    const reconciled = await reconcileDay(deps, processor, scope, day);
    if (reconciled.outcome.status === "differences") deps.log.differences(reconciled);
  } catch (error) {
    background.onError("reconciliation of a day", error);
  }
}

/** Reconciles a day of every merchant, for `florin reconcile`. */
export async function reconcileAllAccounts(
  deps: ReconciliationDeps,
  day: string,
): Promise<Reconciliation[]> {
  const made: Reconciliation[] = [];
  const scopes = await listUnreconciled(deps.database.read, day, endOf(day), null, 1_000_000);
  for (const scope of scopes) {
    const processor = deps.settlementsOf(scope);
    if (processor) made.push(await reconcileDay(deps, processor, scope, day));
  }
  return made;
}
