import { firstUuidAt } from "../../core/ids.ts";

/** The weeks of partitions. They begin on Mondays at 00:00 UTC. */

export const weekMs = 7 * 24 * 60 * 60 * 1000;

/** The first Monday after 1970-01-01, which was a Thursday. */
const firstMondayMs = 4 * 24 * 60 * 60 * 1000;

export type Week = {
  readonly begins: Date;
  readonly ends: Date;
  /** The first day of the week, such as `20260105`. The names of its partitions end with it. */
  readonly name: string;
  /** The range of the IDs of the week's rows: from `first`, up to and excluding `next`. */
  readonly first: string;
  readonly next: string;
};

/** Returns the week that contains `time`, or the week `later` weeks after it. */
export function weekOf(time: Date, later = 0): Week {
  const number = Math.floor((time.getTime() - firstMondayMs) / weekMs) + later;
  const begins = new Date(firstMondayMs + number * weekMs);
  const ends = new Date(begins.getTime() + weekMs);
  return {
    begins,
    ends,
    name: begins.toISOString().slice(0, 10).replaceAll("-", ""),
    first: firstUuidAt(begins),
    next: firstUuidAt(ends),
  };
}

/** Returns the week in the name of a partition, such as `events_20260105`. Returns null for the default partition. */
export function weekOfPartition(partition: string): Week | null {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(partition) ?? [];
  return year ? weekOf(new Date(`${year}-${month}-${day}T00:00:00Z`)) : null;
}
