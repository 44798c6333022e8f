import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";
import { sendQuery } from "./send-query.ts";
import type { Sql } from "./sql.ts";

/** Identifies the data of a server. A standby has the same cluster and name as its primary. */
export type DatabaseIdentity = {
  /** The number that `initdb` gave to the cluster. */
  readonly cluster: string;
  readonly name: string;
  readonly isStandby: boolean;
  /** The position in the log: the end of the log that a primary has written, or that a standby has replayed. */
  readonly position: string;
};

const identity = {
  name: "database identity",
  text: `
    select system_identifier::text as cluster, current_database() as name, pg_is_in_recovery() as "isStandby",
           case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0') else pg_current_wal_lsn() end::text
             as position
      from pg_control_system()`,
};

/** The time limit of the response of `identifyAt`. */
const timeoutMs = 3_000;

export async function identify(read: Sql): Promise<DatabaseIdentity> {
  const [row] = await read<DatabaseIdentity>(identity);
  return row as DatabaseIdentity;
}

/** Connects to a primary or a standby, and returns its identity. */
export async function identifyAt(url: string): Promise<DatabaseIdentity> {
  const client = new DatabaseClient(connectionOptions(url));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await sendQuery(client, identity, timeoutMs);
    return rows[0] as DatabaseIdentity;
  } finally {
    await client.end().catch(() => undefined);
  }
}
