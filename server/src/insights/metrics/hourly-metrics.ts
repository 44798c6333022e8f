import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { replaceApprovals } from "./approval.sql.ts";
import {
  type Hours,
  keepArchivedHour,
  lockMeasuredTo,
  measureHours,
  readFirstSessionHour,
  replaceHours,
  updateMeasuredTo,
} from "./metrics.sql.ts";
import { type HourTally, hourMs } from "./tally.ts";

/**
 * The delay between the end of an hour and its count. A charge belongs to the hour in which its ID was generated. Its
 * row is written shortly afterwards, which may be after the end of that hour.
 */
const countingDelayMs = 2 * 60_000;

/** The number of hours that one transaction counts. */
const hourBatchSize = 24;

/** Returns the first hour that cannot be counted yet. */
export function firstOpenHour(now: Date): number {
  return Math.floor((now.getTime() - countingDelayMs) / hourMs);
}

/** Counts the next uncounted hours of a merchant. `first` is the first uncounted hour with payments. */
export async function measureOn(tx: Tx, scope: Scope, first: number, now: Date): Promise<void> {
  const measuredTo = await lockMeasuredTo(tx, scope);
  // Hours without payments are counted too, because they can have checkout sessions.
  const from =
    measuredTo === 0 ? Math.min(first, await readFirstSessionHour(tx, scope, first)) : measuredTo;
  const to = Math.min(from + hourBatchSize, firstOpenHour(now));
  if (to <= from) return;
  await measure(tx, scope, { from, to }, now);
  await updateMeasuredTo(tx, scope, to);
}

/** Counts an hour again, unless its payments may be archived. */
export async function measureAgain(tx: Tx, scope: Scope, hour: number, now: Date): Promise<void> {
  await lockMeasuredTo(tx, scope);
  if (await keepArchivedHour(tx, scope, hour)) return;
  await measure(tx, scope, { from: hour, to: hour + 1 }, now);
}

async function measure(tx: Tx, scope: Scope, hours: Hours, now: Date): Promise<void> {
  const tallies = await measureHours(tx, scope, hours);
  const withRecount = tallies.map((tally) => ({
    ...tally,
    recountAt: recountAt(tally, now),
  }));
  await replaceHours(tx, scope, hours, withRecount);
  await replaceApprovals(tx, scope, hours);
}

const maxRecountDelayMs = 6 * hourMs;
/**
 * The age up to which an hour with open payments is counted again. At this age every authorization is captured or
 * expired, and no inquiry is scheduled.
 */
const recountForMs = 30 * 24 * hourMs;

/**
 * The age up to which every hour is counted again, because a process that stalled may write a charge after its hour was
 * counted.
 */
const secondLookMs = 3 * hourMs;

/**
 * Returns the time of the next count of the hour, or null if the count is final. The delay grows with the hour's age,
 * because old payments change rarely.
 */
function recountAt({ hour, open }: HourTally, now: Date): Date | null {
  const age = now.getTime() - hour * hourMs;
  if (age > (open > 0 ? recountForMs : secondLookMs)) return null;
  return new Date(now.getTime() + Math.min(age / 8, maxRecountDelayMs));
}
