import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import {
  createPartition,
  dropPartition,
  excludeFromDefault,
  hasLargeDefault,
  hasLongReader,
  includeInDefault,
  isExcludedFromDefault,
  limitLockWait,
  listPartitions,
  lockPartitions,
  type PartitionedTable,
  validateExclusion,
} from "./partition.sql.ts";
import { type Week, weekOf, weekOfPartition } from "./week.ts";

/** Tables whose partitions of a week are created and dropped together, in one transaction. */
export type PartitionGroup = {
  readonly tables: readonly PartitionedTable[];
  /** The time for which rows are kept. A week is dropped when its newest row is older than this. */
  readonly lifeMs: number;
  /** Returns whether a week still contains rows that must be kept. By default, none does. */
  readonly isNeeded?: (tx: Tx, week: Week) => Promise<boolean>;
};

/**
 * The number of weeks whose partitions are created ahead. Rows of a week without a partition are stored in the default
 * partition.
 */
export const weeksAhead = 4;

/**
 * The grace period before expired rows are dropped. A request that started before the expiry may still use them. The
 * period is longer than any request.
 */
const graceMs = 60 * 60 * 1000;

/** The maximum time for which the statements of payments wait for a lock of this job. */
const lockWaitMs = 100;

export type PartitionDeps = { readonly database: Database; readonly clock: Clock };

/** The partitions that were created and dropped, or would be in a dry run. */
export type PartitionChanges = {
  readonly created: readonly string[];
  readonly dropped: readonly string[];
};

/**
 * Creates the partitions of this week and of the next weeks, and drops those of weeks whose rows have all expired.
 * Skips the tables that a long transaction uses. The next run processes them. A dry run changes nothing.
 */
export async function maintainPartitions(
  { database, clock }: PartitionDeps,
  groups: readonly PartitionGroup[],
  { dryRun = false } = {},
): Promise<PartitionChanges> {
  const now = clock.now();
  const created: string[] = [];
  const dropped: string[] = [];
  for (const group of groups) {
    const names = (await listPartitions(database.read, group.tables)).map(({ name }) => name);
    const missing = weeksFrom(now).filter((week) =>
      group.tables.some((table) => !names.includes(`${table}_${week.name}`)),
    );
    const passed = new Map(
      names.flatMap((name) => {
        const week = weekOfPartition(name);
        const hasPassed = week && week.ends.getTime() + group.lifeMs + graceMs <= now.getTime();
        return hasPassed ? [[week.name, week] as const] : [];
      }),
    );
    if (missing.length === 0 && passed.size === 0) continue;
    if (dryRun) {
      const namesOf = (weeks: Iterable<Week>) =>
        [...weeks].flatMap((week) => group.tables.map((table) => `${table}_${week.name}`));
      created.push(...namesOf(missing));
      dropped.push(...namesOf(passed.values()));
      continue;
    }
    if (await hasLongReader(database.read, group.tables)) continue;
    for (const week of missing) created.push(...(await createWeek(database, group, week, now)));
    for (const week of passed.values()) dropped.push(...(await dropWeek(database, group, week)));
  }
  return { created, dropped };
}

export function weeksFrom(now: Date): Week[] {
  return Array.from({ length: weeksAhead + 1 }, (_, later) => weekOf(now, later));
}

/**
 * Creates the partitions of a week. Creates none if a lock is not free, or if rows of the week are in a default
 * partition. Such rows stay there until they expire and are deleted.
 *
 * PostgreSQL reads the whole default partition when it attaches a partition, and blocks all statements in the meantime.
 * If the default partition is large, a constraint that makes this read unnecessary is therefore validated first, which
 * blocks no statement. Until the partition is attached, the constraint rejects new rows of the week, so the current
 * week gets no partition in this case. Its rows remain in the default partition.
 */
async function createWeek(
  database: Database,
  { tables }: PartitionGroup,
  week: Week,
  now: Date,
): Promise<string[]> {
  const { read } = database;
  const large: PartitionedTable[] = [];
  const excluded: PartitionedTable[] = [];
  for (const table of tables) {
    if (await hasLargeDefault(read, table)) large.push(table);
    // A process that was killed can leave the constraint behind.
    if (await isExcludedFromDefault(read, table, week)) excluded.push(table);
  }
  const each = async (
    of: readonly PartitionedTable[],
    work: (tx: Tx, table: PartitionedTable, week: Week) => Promise<unknown>,
  ): Promise<boolean> => {
    const done = await withoutWaiting(database, async (tx) => {
      for (const table of of) await work(tx, table, week);
      return ["done"];
    });
    return done.length > 0;
  };
  if (excluded.length > 0 && !(await each(excluded, includeInDefault))) return [];
  if (large.length === 0) return createPartitions(database, tables, week);
  if (week.first <= firstUuidAt(new Date(now.getTime() + graceMs))) return [];
  if (!(await each(large, excludeFromDefault))) return [];
  try {
    if (!(await each(large, validateExclusion))) return [];
    return await createPartitions(database, tables, week);
  } finally {
    await each(large, includeInDefault);
  }
}

async function createPartitions(
  database: Database,
  tables: readonly PartitionedTable[],
  week: Week,
): Promise<string[]> {
  return withoutWaiting(database, async (tx) => {
    const created: string[] = [];
    for (const table of tables) {
      if (await createPartition(tx, table, week)) created.push(`${table}_${week.name}`);
    }
    return created;
  });
}

async function dropWeek(
  database: Database,
  { tables, isNeeded }: PartitionGroup,
  week: Week,
): Promise<string[]> {
  return withoutWaiting(database, async (tx) => {
    if (await isNeeded?.(tx, week)) return [];
    const dropped: string[] = [];
    for (const table of tables) {
      const name = `${table}_${week.name}`;
      if (await dropPartition(tx, name)) dropped.push(name);
    }
    return dropped;
  });
}

/**
 * The codes of errors that must not prevent the start of a server:
 *
 * - 55P03: a lock is not free.
 * - 23514: the default partition contains rows of the week.
 * - 57014: the search for such rows in a large default partition reached the statement timeout.
 * - 42710 and 42704: another server has added or dropped the constraint in the meantime.
 */
const expected = ["55P03", "23514", "57014", "42710", "42704"];

async function withoutWaiting(
  database: Database,
  work: (tx: Tx) => Promise<string[]>,
): Promise<string[]> {
  try {
    return await database.transaction(async (tx) => {
      await lockPartitions(tx);
      await limitLockWait(tx, lockWaitMs);
      return work(tx);
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && expected.includes(String(error.code)))
      return [];
    throw error;
  }
}
