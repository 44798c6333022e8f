import type pg from "pg";
import { CannotStart } from "./cannot-start.ts";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";

/** A log sequence number as Postgres writes it: `0/2000028`. */
export type Lsn = string;

/** What Postgres says when a backup is over. */
export type BackupEnd = {
  /** What was committed before this moment is in the backup. */
  readonly committedBefore: Date;
  /** The content of `backup_label`, without which recovery would begin at the wrong place. */
  readonly label: string;
  /** The names of the segments of the log that make what was copied whole, oldest first. */
  readonly segments: readonly string[];
};

export type BackupSession = {
  /** Returns when files may be copied. Makes a checkpoint, which takes as long as the disk needs for it. */
  begin(): Promise<Lsn>;
  /** To be called when all files are copied. The segments are kept for as long as the session is open. */
  end(start: Lsn): Promise<BackupEnd>;
};

/**
 * A connection for one backup, as "Making a Base Backup Using the Low Level API" in Postgres's manual has it: Postgres
 * gives a backup up when its connection closes. No statement has a time limit. When `signal` aborts, the connection
 * breaks and `work` with it.
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
  const breakOff = () => void client.end();
  signal.addEventListener("abort", breakOff, { once: true });
  try {
    signal.throwIfAborted();
    return await work({ begin: () => begin(client), end: (start) => end(client, start) });
  } catch (error) {
    // SQLSTATE class 57P, operator intervention: Postgres is told to stop.
    if (!isLost && !String((error as { code?: string }).code).startsWith("57P")) throw error;
    throw new CannotStart("Postgres ended while it was backed up. Try again.", { cause: error });
  } finally {
    signal.removeEventListener("abort", breakOff);
    await client.end().catch(() => undefined);
  }
}

async function begin(client: pg.Client): Promise<Lsn> {
  await refuseTablespaces(client);
  // First of all: from here on Postgres recycles no segment of its log, however long the copying takes. It goes with the
  // connection.
  await client.query(`
    select pg_create_physical_replication_slot(
             'florin_backup_' || pg_backend_pid(), immediately_reserve => true, temporary => true)
  `);
  const { rows } = await client.query<{ start: Lsn }>(
    "select pg_backup_start('florin backup', fast => true)::text as start",
  );
  return only(rows).start;
}

/** They lie outside the data directory, and a copy that names them would write into the original's. */
async function refuseTablespaces(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ spcname: string }>(
    "select spcname from pg_tablespace where spcname not in ('pg_default', 'pg_global')",
  );
  if (rows.length === 0) return;
  const names = rows.map(({ spcname }) => spcname).join(", ");
  throw new CannotStart(`The database has tablespaces (${names}), which no backup would hold.`);
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

/** The stop is the first byte that is not needed any more; at the start of a segment it would name one too many. */
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
