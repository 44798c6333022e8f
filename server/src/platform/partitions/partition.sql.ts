import type { Sql, Tx } from "../database/sql.ts";
import type { Week } from "./week.ts";

/** The tables that are partitioned by week. */
export const partitionedTables = ["events", "webhook_deliveries", "request_log"] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

export type Partition = { readonly table: PartitionedTable; readonly name: string };

/** Returns the partitions of these tables, including the default partitions. */
export async function listPartitions(
  read: Sql,
  tables: readonly PartitionedTable[],
): Promise<Partition[]> {
  return read<Partition>`
    select parent.relname as table, child.relname as name
      from pg_inherits i
      join pg_class parent on parent.oid = i.inhparent
      join pg_class child on child.oid = i.inhrelid
     where parent.oid in (select to_regclass(name) from unnest(${tables}::text[]) as requested (name))
     order by child.relname
  `;
}

/** Creates the partition of a week. Returns false if the partition already exists. */
export async function createPartition(
  tx: Tx,
  table: PartitionedTable,
  { name, first, next }: Week,
): Promise<boolean> {
  const [row] = await tx<{ created: boolean }>`
    select create_partition(${table}, ${`${table}_${name}`}, ${first}, ${next}) as created
  `;
  return row?.created === true;
}

/** The size up to which a default partition is read in a few milliseconds. */
const smallBytes = 1024 * 1024;

/** Returns whether the default partition is so large that attaching a partition would block payments for too long. */
export async function hasLargeDefault(read: Sql, table: PartitionedTable): Promise<boolean> {
  const [row] = await read<{ size: number }>`
    select pg_relation_size(to_regclass(${`${table}_default`})) as size
  `;
  return (row?.size ?? 0) > smallBytes;
}

/** Rejects new rows of the week in the default partition, until the constraint is dropped. */
export async function excludeFromDefault(
  tx: Tx,
  table: PartitionedTable,
  { name, first, next }: Week,
): Promise<void> {
  await tx`select exclude_from_default(${table}, ${`${table}_${name}`}, ${first}, ${next})`;
}

/** Returns whether `excludeFromDefault` has added a constraint that was not dropped. */
export async function isExcludedFromDefault(
  read: Sql,
  table: PartitionedTable,
  { name }: Week,
): Promise<boolean> {
  const rows = await read`
    select
      from pg_constraint
     where conrelid = to_regclass(${`${table}_default`}) and conname = ${`${table}_${name}`}
  `;
  return rows.length > 0;
}

/** Drops the constraint that `excludeFromDefault` added. */
export async function includeInDefault(
  tx: Tx,
  table: PartitionedTable,
  { name }: Week,
): Promise<void> {
  await tx`select include_in_default(${table}, ${`${table}_${name}`})`;
}

/** Verifies that the default partition has no row of the week, without blocking other statements. */
export async function validateExclusion(
  tx: Tx,
  table: PartitionedTable,
  { name }: Week,
): Promise<void> {
  await tx`select validate_exclusion(${table}, ${`${table}_${name}`})`;
}

export async function dropPartition(tx: Tx, name: string): Promise<boolean> {
  const [row] = await tx<{ dropped: boolean }>`select drop_partition(${name}) as dropped`;
  return row?.dropped === true;
}

/**
 * Limits the time for which this transaction waits for a lock. Statements of payments wait behind the transaction,
 * because a waiting request for an exclusive lock blocks later requests.
 */
export async function limitLockWait(tx: Tx, milliseconds: number): Promise<void> {
  await tx`select set_config('lock_timeout', ${String(milliseconds)}, true)`;
}

/** Prevents other servers from creating or dropping partitions until the transaction ends. Waits for those that do. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('partitions'))`;
}

/**
 * Returns whether a transaction that began before the last second uses one of the tables. A request for a lock on that
 * table would probably time out, and would block payments until the timeout. For example, `florin verify` reads these
 * tables for minutes.
 */
export async function hasLongReader(
  read: Sql,
  tables: readonly PartitionedTable[],
): Promise<boolean> {
  const [row] = await read<{ found: boolean }>`
    select exists (
      select
        from pg_locks l
        join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'relation' and l.database = (select oid from pg_database where datname = current_database())
         and l.relation in (
               select to_regclass(name) from unnest(${tables}::text[]) as requested (name)
               union all
               select inhrelid
                 from pg_inherits
                where inhparent in (select to_regclass(name) from unnest(${tables}::text[]) as requested (name))
             )
         and a.xact_start < clock_timestamp() - interval '1 second'
    ) as found
  `;
  return row?.found === true;
}
