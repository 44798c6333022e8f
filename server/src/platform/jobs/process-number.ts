import type pg from "pg";
import type { Database } from "../database/database.ts";
import { sendQuery } from "../database/send-query.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type Background, type Loop, startLoop } from "./loop.ts";

/**
 * Identifies this server process and detects other processes that have died. A process holds an advisory lock on its
 * number while it runs. Postgres releases the lock as soon as the process has exited, even if it was killed. The
 * unfinished charges of a dead process can therefore be recovered before their leases expire.
 */
export type ProcessNumber = {
  get(): number;
  stop(): Promise<void>;
};

/** The first of the advisory lock's two keys. The second is the process's number. */
const lockSpace = 0x666c6f72;

/**
 * A process is dead if its last heartbeat differs from the current time by more than this, and its lock is free. The
 * heartbeat is in the future if the clock of the database's machine was ahead when the process died.
 */
const unseenMs = 3_000;
const heartbeatMs = 1_000;

export async function acquireProcessNumber(
  database: Database,
  options: {
    /** Releases the claims of the dead process, in the transaction that deletes its row. */
    onDeath: (tx: Tx, number: number) => Promise<void>;
    background: Background;
  },
): Promise<ProcessNumber> {
  const number = await register(database);
  let lockConnection: pg.Client | null = await acquireLock(database, number);
  lockConnection.once("end", () => {
    lockConnection = null;
  });

  const heartbeat: Loop = startLoop({
    name: "process heartbeat",
    everyMs: heartbeatMs,
    // With a longer backoff than `unseenMs`, a running process would be considered dead after an outage.
    maxBackoffMs: heartbeatMs,
    background: options.background,
    async work() {
      // After a restart of Postgres, the lock is free although this process is running.
      if (!lockConnection) {
        lockConnection = await acquireLock(database, number);
        lockConnection.once("end", () => {
          lockConnection = null;
        });
      }
      await updateHeartbeat(database, number);
      await releaseDeadProcesses(database, number, options.onDeath);
      return false;
    },
  });

  return {
    get: () => number,
    async stop() {
      await heartbeat.stop();
      await database
        .autocommit((tx) => tx`delete from processes where number = ${number}`)
        .catch(() => undefined);
      await lockConnection?.end().catch(() => undefined);
    },
  };
}

/** Returns the numbers of all server processes that run on this database. Each of them holds its lock. */
export async function listRunningProcesses(read: Sql): Promise<number[]> {
  const rows = await read<{ number: number }>`
    select objid::int as number
      from pg_locks
     where locktype = 'advisory' and granted and classid = ${lockSpace} and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
  `;
  return rows.map(({ number }) => number);
}

async function register(database: Database): Promise<number> {
  const [row] = await database.autocommit(
    (tx) => tx<{ number: number }>`insert into processes default values returning number`,
  );
  return (row as { number: number }).number;
}

async function acquireLock(database: Database, number: number): Promise<pg.Client> {
  const client = await database.connect();
  await sendQuery(client, { text: "select pg_advisory_lock($1, $2)", values: [lockSpace, number] });
  return client;
}

/** Updates the heartbeat. Inserts the row again if another process declared this one dead while it was suspended. */
async function updateHeartbeat(database: Database, number: number): Promise<void> {
  await database.autocommit(
    (tx) => tx`
      insert into processes (number, seen_at) overriding system value
      values (${number}, now())
          on conflict (number) do update set seen_at = excluded.seen_at
    `,
  );
}

async function releaseDeadProcesses(
  database: Database,
  self: number,
  onDeath: (tx: Tx, number: number) => Promise<void>,
): Promise<void> {
  const unseen = await database.read<{ number: number }>`
    select number
      from processes
     where number <> ${self}
       and (seen_at < now() - make_interval(secs => ${unseenMs / 1000})
            or seen_at > now() + make_interval(secs => ${unseenMs / 1000}))
  `;
  for (const { number } of unseen) {
    await database.transaction(async (tx) => {
      const [row] = await tx<{ free: boolean }>`
        select pg_try_advisory_xact_lock(${lockSpace}, ${number}) as free
      `;
      if (!row?.free) return;
      await onDeath(tx, number);
      await tx`delete from processes where number = ${number}`;
    });
  }
}
