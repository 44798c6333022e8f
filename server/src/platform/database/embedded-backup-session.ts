import type pg from "pg";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";
import { StartupError } from "./startup-error.ts";

/** A log sequence number as Postgres writes it: `0/2000028`. */
export type Lsn = string;

/** The result of a finished backup. */
export type BackupEnd = {
  /** The backup contains everything that was committed before this time. */
  readonly committedBefore: Date;
  /** The content of `backup_label`, without which recovery would begin at the wrong place. */
  readonly label: string;
  /** The names of the log segments that make the copied files consistent, oldest first. */
  readonly segments: readonly string[];
};

export type BackupSession = {
  /** Starts the backup. Resolves after a checkpoint, whose duration depends on the disk. Files may then be copied. */
  begin(): Promise<Lsn>;
  /** Ends the backup after all files are copied. Postgres keeps the segments while the session is open. */
  end(start: Lsn): Promise<BackupEnd>;
};

/**
 * Opens a connection for one backup ("Making a Base Backup Using the Low Level API" in PostgreSQL's manual). Postgres
 * abandons the backup when the connection closes. Statements have no time limit. When `signal` aborts, the connection
 * is closed and `work` fails.
 */
export async function withBackupSession<Result>(
  url: string,
  signal: AbortSignal,
  work: (session: BackupSession) => Promise<Result>,
): Promise<Result> {
  const client = new DatabaseClient({
    ...connectionOptions(url),
    application_name: "florin backup",
  });
  let isLost = false;
  client.on("error", () => {
    isLost = true;
  });
  await client.connect();
  const closeConnection = () => void client.end();
  signal.addEventListener("abort", closeConnection, { once: true });
  try {
    signal.throwIfAborted();
    return await work({ begin: () => begin(client), end: (start) => end(client, start) });
  } catch (error) {
    // SQLSTATE class 57P, operator intervention: Postgres is shutting down.
    if (!isLost && !String((error as { code?: string }).code).startsWith("57P")) throw error;
    throw new StartupError("Postgres stopped during the backup. Run the backup again.", {
      cause: error,
    });
  } finally {
    signal.removeEventListener("abort", closeConnection);
    await client.end().catch(() => undefined);
  }
}

async function begin(client: pg.Client): Promise<Lsn> {
  await assertNoTablespaces(client);
  // The replication slot is created before the backup starts. It prevents Postgres from recycling log segments during
  // the copy, and is dropped when the connection ends.
  await client.query(`
    select pg_create_physical_replication_slot(
             'florin_backup_' || pg_backend_pid(), immediately_reserve => true, temporary => true)
  `);
  const { rows } = await client.query<{ start: Lsn }>(
    "select pg_backup_start('florin backup', fast => true)::text as start",
  );
  return only(rows).start;
}

/**
 * Rejects tablespaces. They are outside the data directory, and a restored copy would write into the tablespaces of the
 * original.
 */
async function assertNoTablespaces(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ spcname: string }>(
    "select spcname from pg_tablespace where spcname not in ('pg_default', 'pg_global')",
  );
  if (rows.length === 0) return;
  const names = rows.map(({ spcname }) => spcname).join(", ");
  throw new StartupError(
    `The database has tablespaces (${names}), which a backup would not contain. Move their tables to the default tablespace, and drop these tablespaces.`,
  );
}

async function end(client: pg.Client, start: Lsn): Promise<BackupEnd> {
  const { rows: moments } = await client.query<{ now: Date }>("select clock_timestamp() as now");
  const { rows: ends } = await client.query<{ stop: Lsn; label: string }>(
    "select lsn::text as stop, labelfile as label from pg_backup_stop(wait_for_archive => false)",
  );
  const { stop, label } = only(ends);
  const { rows: segments } = await client.query<{ name: string }>(segmentsBetween, [start, stop]);
  return {
    committedBefore: only(moments).now,
    label,
    segments: segments.map(({ name }) => name),
  };
}

/**
 * Lists the segments from start to stop. The stop is the first byte after the needed log, so a stop at the start of a
 * segment must not include that segment.
 */
const segmentsBetween = `
  with segment as (select pg_size_bytes(current_setting('wal_segment_size'))::numeric as bytes)
  select pg_walfile_name('0/0'::pg_lsn + number * bytes + 1) as name
    from segment,
         generate_series(div($1::pg_lsn - '0/0'::pg_lsn, bytes),
                         div($2::pg_lsn - '0/0'::pg_lsn - 1, bytes)) as number
   order by number
`;

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error("Postgres returned no row");
  return row;
}
