import type { SettlementSource } from "../acquiring/processor.ts";
import type { Scope } from "../core/scope.ts";
import { type Background, type Loop, startLoop } from "../platform/jobs/loop.ts";
import { dueDays, retriedForMs } from "./due-days.ts";
import type { ReceiveDeps } from "./receive-settlement-file.ts";
import { reconcileDay } from "./reconcile-day.ts";
import { listReportedDays, listUnreconciled, type ReportedDay } from "./reconciliation.sql.ts";
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

/** The number of merchants, or of their days, that one query returns. */
const pageSize = 100;

/**
 * Reconciles each completed day, and after a restore every day since `restoredTo`, oldest first. Retries a day without
 * a complete file every hour.
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
      // A day without a complete file is due again after an hour. After a restore it is due immediately, because an
      // earlier result compared rows that the restore has replaced.
      const again = new Date(
        Math.max(now.getTime() - hourMs, ...restores.map((one) => one.restoredAt.getTime())),
      );
      for (const day of dueDays(now, restores)) {
        await forEachPage<Scope>(
          signal,
          (after) => listUnreconciled(deps.database.read, { day, again, after }, pageSize),
          (scope) => reconcileOne(deps, scope, day, signal, background),
        );
      }
      await forEachPage<ReportedDay>(
        signal,
        (after) => listReportedDays(deps.database.read, since, after, pageSize),
        ({ scope, day }) => reconcileOne(deps, scope, day, signal, background),
      );
      return false;
    },
  });
}

/**
 * Calls `work` for each item once, page by page. An item whose work fails is still in the list, so the next page starts
 * after it. Otherwise a page of failing items would be repeated and the items after it would never be reached.
 */
async function forEachPage<Item>(
  signal: AbortSignal,
  list: (after: Item | null) => Promise<readonly Item[]>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let after: Item | null = null;
  do {
    if (signal.aborted) return;
    const page: readonly Item[] = await list(after);
    for (const item of page) await work(item);
    after = page.length === pageSize ? (page.at(-1) ?? null) : null;
  } while (after !== null);
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
  const due = { day, again: null, after: null };
  const scopes = await listUnreconciled(deps.database.read, due, 1_000_000);
  for (const scope of scopes) {
    const processor = deps.settlementsOf(scope);
    if (processor) made.push(await reconcileDay(deps, processor, scope, day));
  }
  return made;
}
