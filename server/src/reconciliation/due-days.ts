import { dayMs, dayOf, daysFrom } from "../core/utc-day.ts";
import type { Restore } from "../platform/database/record-restore.ts";

/** The number of past days to reconcile, so that a server that was down for a week reconciles every day. */
const daysBack = 7;

/** A day without a complete file is reconciled again for this long. */
export const retriedForMs = daysBack * dayMs;

/**
 * Returns the days to reconcile, oldest first: the last completed days, and after a restore of the database every day
 * since `restoredTo`. The day of the restore is reconciled before it ends, so that operators see the lost payments as
 * soon as possible.
 */
export function dueDays(now: Date, restores: readonly Restore[]): string[] {
  const from = [
    now.getTime() - retriedForMs,
    ...restores.map(({ restoredTo }) => restoredTo.getTime()),
  ];
  const isRestoredToday = restores.some(({ restoredAt }) => dayOf(restoredAt) === dayOf(now));
  const until = isRestoredToday ? now : new Date(now.getTime() - dayMs);
  return daysFrom(new Date(Math.min(...from)), until);
}
