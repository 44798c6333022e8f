import type { Tx } from "../database/sql.ts";
import type { Owner } from "../primitives/owner.ts";
import {
  type Hours,
  lockMeasuredTo,
  measureHours,
  replaceHours,
  updateMeasuredTo,
} from "./metrics.sql.ts";
import { type HourTally, hourMs } from "./tally.ts";

/** A charge's id is drawn a moment before it is written; an hour is counted when its last ones are surely there. */
const settleDownMs = 2 * 60_000;

/** Hours that are counted in one transaction. */
const hoursAtOnce = 24;

/** The first hour that cannot be counted yet. */
export function firstOpenHour(now: Date): number {
  return Math.floor((now.getTime() - settleDownMs) / hourMs);
}

/** Counts a merchant's next hours, from the one in which there is something to count. */
export async function measureOn(tx: Tx, owner: Owner, first: number, now: Date): Promise<void> {
  const measuredTo = await lockMeasuredTo(tx, owner);
  const from = Math.max(measuredTo, first);
  const to = Math.min(from + hoursAtOnce, firstOpenHour(now));
  if (to <= from) return;
  await measure(tx, owner, { from, to }, now);
  await updateMeasuredTo(tx, owner, to);
}

/** Counts an hour anew, in which something was open. */
export async function measureAgain(tx: Tx, owner: Owner, hour: number, now: Date): Promise<void> {
  await lockMeasuredTo(tx, owner);
  await measure(tx, owner, { from: hour, to: hour + 1 }, now);
}

async function measure(tx: Tx, owner: Owner, hours: Hours, now: Date): Promise<void> {
  const tallies = await measureHours(tx, owner, hours);
  const kept = tallies.map((tally) => ({
    ...tally,
    lookAgainAt: lookAgainAt(tally, now),
  }));
  await replaceHours(tx, owner, hours, kept);
}

const oftenestMs = 5 * 60_000;
const rarestMs = 6 * hourMs;
/** By then a hold was captured or is over, and no inquiry is left. */
const givenUpAfterMs = 30 * 24 * hourMs;

/** A server that stood still may write a payment of an hour that was counted: each is looked at once more. */
const secondLookMs = 3 * hourMs;

/** The longer something has been open, the longer it may stay so: the wait grows with its age. */
function lookAgainAt({ hour, open }: HourTally, now: Date): Date | null {
  const age = now.getTime() - hour * hourMs;
  if (age > (open > 0 ? givenUpAfterMs : secondLookMs)) return null;
  return new Date(now.getTime() + Math.min(Math.max(age / 8, oftenestMs), rarestMs));
}
