import type pg from "pg";

/** A statement for Postgres, with the way in which the migration runner must execute it. */
export type Step = {
  readonly text: string;
  /**
   * - `unlimited`: waits for transactions or for a vacuum, and blocks no request in the meantime.
   * - `one lock`: while the statement waits for its lock, requests on one table wait behind it.
   * - `several locks`: while the statement waits for a lock, it already holds others, so its total time is limited.
   */
  readonly waits: "unlimited" | "one lock" | "several locks";
  /** The index that the statement builds concurrently. An interrupted build leaves it invalid. */
  readonly builds: string | null;
};

/**
 * Returns the statements that execute a statement of a migration, one after the other. Postgres cannot build or drop an
 * index of a partitioned table concurrently. For such a table, the index is created on the parent alone, built
 * concurrently on each partition, and attached. It is valid when it is attached on all partitions.
 *
 * The partitions are listed again after each step, because a job creates and drops partitions in the meantime. If a
 * partition is attached to the table after the first step, Postgres creates the index on it.
 */
export async function* stepsOf(client: pg.Client, statement: string): AsyncGenerator<Step> {
  const { unique = "", name, table, definition } = creation.exec(statement)?.groups ?? {};
  if (name && table && definition && (await isPartitioned(client, table))) {
    const create = `create ${unique}index if not exists ${name} on only ${table} ${definition}`;
    yield { text: create, waits: "one lock", builds: null };
    for (;;) {
      const partition = await findWithoutIndex(client, table, name);
      if (partition === null) break;
      const own = nameOnPartition(name, table, partition);
      const build = `create ${unique}index concurrently if not exists ${own} on ${partition} ${definition}`;
      yield { text: build, waits: "unlimited", builds: own };
      const attach = `alter index ${name} attach partition ${own}`;
      yield { text: attach, waits: "one lock", builds: null };
    }
    return;
  }
  const { dropped } = removal.exec(statement)?.groups ?? {};
  if (dropped && (await isPartitioned(client, dropped))) {
    yield { text: `drop index if exists ${dropped}`, waits: "several locks", builds: null };
    return;
  }
  const isUnlimited = /\b(concurrently|validate constraint)\b/i.test(statement);
  yield {
    text: statement,
    waits: isUnlimited ? "unlimited" : "one lock",
    builds: name ?? null,
  };
}

const creation =
  /^create (?<unique>unique )?index concurrently if not exists (?<name>\w+)\s+on (?:only )?(?<table>\w+)\s*(?<definition>[\s\S]+)$/i;
const removal = /^drop index concurrently if exists (?<dropped>\w+)$/i;

/** Returns whether this is a partitioned table, or an index of one. */
async function isPartitioned(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query(
    "select from pg_class where oid = to_regclass($1) and relkind in ('p', 'I')",
    [name],
  );
  return rows.length > 0;
}

/** Returns a partition that has no index attached to `index`, or null. */
async function findWithoutIndex(
  client: pg.Client,
  table: string,
  index: string,
): Promise<string | null> {
  const { rows } = await client.query<{ partition: string }>(
    `select p.inhrelid::regclass::text as partition
       from pg_inherits p
      where p.inhparent = to_regclass($1)
        and not exists (
          select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
           where i.inhparent = to_regclass($2) and x.indrelid = p.inhrelid)
      order by 1
      limit 1`,
    [table, index],
  );
  return rows[0]?.partition ?? null;
}

/** The maximum length of a name. Postgres would shorten a longer one, so that two indexes could get the same name. */
const maxNameLength = 63;

function nameOnPartition(name: string, table: string, partition: string): string {
  const rest = name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name;
  const own = `${partition}_${rest}`;
  if (own.length <= maxNameLength) return own;
  throw new Error(
    `The index ${name} would have the name ${own} on a partition, which is longer than ${maxNameLength} characters. ` +
      "Choose a shorter name.",
  );
}
