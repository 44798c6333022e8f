import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** The longest times that a migration blocked requests, measured by reading the lock tables every few milliseconds. */
export type LockFigures = {
  readonly samples: number;
  /** The longest pause between two samples. A lock that is held for less can be missed. */
  readonly longestGapMs: number;
  /** Locks of tables that conflict with reads or writes, by table and mode. */
  readonly held: readonly Timed[];
  /** Statements of the migration that lock rows until they end, such as the batches of a backfill. */
  readonly statements: readonly Timed[];
  /** The longest time for which another session waited for a lock of the migration. */
  readonly longestBlockedMs: number;
  /** The longest time for which the migration waited for a lock. */
  readonly longestOwnWaitMs: number;
  /** The backends of the migration. */
  readonly pids: ReadonlySet<number>;
};

export type Timed = { readonly what: string; readonly longestMs: number };

export type LockMonitor = { stop(): Promise<LockFigures> };

/** The name with which the migration connects (`migrate.ts`). */
const migrator = "florin migrate";
const everyMs = 5;

/** Measures the locks of migrations on this database until it is stopped. */
export async function startLockMonitor(url: string): Promise<LockMonitor> {
  const client = new pg.Client({ connectionString: url, application_name: "lock monitor" });
  // A broken connection fails the next query, whose error `stop` throws.
  client.on("error", () => undefined);
  await client.connect();
  const held = new Map<string, { what: string; from: number; to: number }>();
  const statements = new Map<string, number>();
  const pids = new Set<number>();
  let samples = 0;
  let longestGapMs = 0;
  let longestBlockedMs = 0;
  let longestOwnWaitMs = 0;
  let isRunning = true;

  const watching = (async () => {
    let lastAt = performance.now();
    while (isRunning) {
      const { rows: active } = await client.query(activity);
      const { rows: locks } = active.length > 0 ? await client.query(conflicting) : { rows: [] };
      const { rows: waiting } = active.length > 0 ? await client.query(waits) : { rows: [] };
      const now = performance.now();
      samples++;
      if (active.length > 0) longestGapMs = Math.max(longestGapMs, now - lastAt);
      lastAt = now;
      for (const { key, what } of locks) {
        const known = held.get(key);
        // The lock may have been acquired just after the last sample.
        held.set(key, { what, from: known?.from ?? now - everyMs, to: now });
      }
      for (const { pid, what, ms, state } of active) {
        pids.add(pid);
        if (state !== "active" || what === "") continue;
        statements.set(what, Math.max(statements.get(what) ?? 0, Number(ms)));
      }
      for (const { application, ms, is_blocked } of waiting) {
        if (application === migrator) longestOwnWaitMs = Math.max(longestOwnWaitMs, Number(ms));
        else if (is_blocked) longestBlockedMs = Math.max(longestBlockedMs, Number(ms));
      }
      await sleep(everyMs);
    }
  })();

  watching.catch(() => undefined);
  return {
    async stop() {
      isRunning = false;
      await watching;
      await client.end();
      const longest = new Map<string, number>();
      for (const { what, from, to } of held.values()) {
        longest.set(what, Math.max(longest.get(what) ?? 0, to - from));
      }
      return {
        samples,
        longestGapMs,
        held: timed(longest),
        statements: timed(statements),
        longestBlockedMs,
        longestOwnWaitMs,
        pids,
      };
    },
  };
}

function timed(times: ReadonlyMap<string, number>): Timed[] {
  return [...times]
    .map(([what, longestMs]) => ({ what, longestMs }))
    .toSorted((one, other) => other.longestMs - one.longestMs);
}

const activity = `
  select pid, left(regexp_replace(regexp_replace(query, '--[^\\n]*\\n', '', 'g'), '\\s+', ' ', 'g'), 90) as what, state,
         extract(epoch from clock_timestamp() - query_start) * 1000 as ms
    from pg_stat_activity
   where application_name = '${migrator}' and datname = current_database()`;

/** The modes that conflict with a read or a write of the table. */
const conflicting = `
  select concat_ws(' ', l.pid, a.xact_start, c.relname, l.mode) as key, c.relname || ' ' || l.mode as what
    from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
    join pg_class c on c.oid = l.relation
   where a.application_name = '${migrator}' and a.datname = current_database() and l.granted
     and l.locktype = 'relation' and c.relkind in ('r', 'p')
     and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

const waits = `
  select a.application_name as application, extract(epoch from clock_timestamp() - l.waitstart) * 1000 as ms,
         exists (
           select from pg_stat_activity m
            where m.application_name = '${migrator}' and m.pid = any (pg_blocking_pids(l.pid))) as is_blocked
    from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
   where not l.granted and l.waitstart is not null and a.datname = current_database()`;
