import type { Clock } from "../core/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { startDeletions } from "../platform/jobs/delete-expired.ts";
import { type Background, type Loop, startLoop } from "../platform/jobs/loop.ts";
import { addCounts, deleteOldCounts, readCounts } from "./velocity.sql.ts";
import type { HourlyTally, Velocity } from "./velocity.ts";

/** The number of subjects merged per round. */
const subjectBatchSize = 2_000;
const hourMs = 60 * 60 * 1000;
const dayHours = 24;

type VelocityDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly velocity: Velocity;
};

/** Merges the counters of this process with those of other processes every second. */
export function startVelocityMerge(deps: VelocityDeps, background: Background): Loop {
  return startLoop({
    name: "velocity counters",
    everyMs: 1_000,
    background,
    work: () => mergeVelocity(deps),
  });
}

/** Merges counters with two statements, regardless of their number. Returns whether there are more to merge. */
export async function mergeVelocity({ database, clock, velocity }: VelocityDeps): Promise<boolean> {
  const news = velocity.takeUnshared(subjectBatchSize);
  if (news.length === 0) return false;
  const since = Math.floor(clock.now().getTime() / hourMs) - dayHours;
  try {
    const sums = await database.transaction(async (tx) => {
      await addCounts(tx, news);
      return readCounts(tx, eachOnce(news), since);
    });
    velocity.replaceShared(sums);
  } catch (error) {
    velocity.restoreUnshared(news);
    throw error;
  }
  return news.length >= subjectBatchSize;
}

function eachOnce(news: readonly HourlyTally[]): HourlyTally[] {
  const places = news.map((one) => [
    `${one.scope.account}${one.scope.livemode}${one.subject}`,
    one,
  ]);
  return [...new Map(places as [string, HourlyTally][]).values()];
}

/** Deletes counters older than a day. */
export function startVelocityExpiry(
  { database, clock }: Pick<VelocityDeps, "database" | "clock">,
  background: Background,
): Loop {
  const before = () => Math.floor(clock.now().getTime() / hourMs) - dayHours - 1;
  return startDeletions(
    {
      name: "velocity expiry",
      everyMs: 10 * 60_000,
      database,
      deletions: [(tx, limit) => deleteOldCounts(tx, before(), limit)],
      batchSize: 5_000,
    },
    background,
  );
}
