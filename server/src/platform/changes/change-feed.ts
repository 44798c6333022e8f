import type pg from "pg";
import type { Database } from "../database/database.ts";
import { type Background, type Loop, startLoop } from "../jobs/loop.ts";
import { type ChangedPart, listenForChanges, readChanges } from "./change-feed.sql.ts";

/**
 * The changes to the configuration of accounts and to the connections to acquirers, read from the database. A cache
 * uses this feed to keep a value until its part of the configuration changes. A change that another process has
 * committed takes effect within `maxStalenessMs` (docs/decisions/0049-configuration-is-cached-until-it-changes.md).
 */
export type ChangeFeed = {
  /** Returns a position in the feed. Call it before a read whose result is cached. */
  position(): number;
  /**
   * Returns whether a value that was read at this position and time (`performance.now()`) is still valid: its part of
   * the configuration has not changed since, and the value or the feed was read within `maxStalenessMs`.
   */
  isCurrent(part: ChangedPart, position: number, readAt: number): boolean;
  /** Invalidates the cached values of a part that this process has just changed. */
  invalidate(part: ChangedPart): void;
  /** Starts to read the feed. Before the start, each cached value is valid for `maxStalenessMs`. */
  start(background: Background): Loop;
  close(): Promise<void>;
};

/** The part of the change feed that a cache uses. */
export type CacheValidity = Pick<ChangeFeed, "position" | "isCurrent">;

/**
 * The maximum time for which a cached value can be stale. If the feed has not been read for this long, cached values
 * are read again. It is below one second, because a revoked key must be rejected by all processes within one second.
 */
export const maxStalenessMs = 900;

/** The interval between reads. A Postgres notification triggers a read immediately. */
const everyMs = 200;

/** After this time without a read, all cached values are dropped, because changes are deleted after an hour. */
const maxGapMs = 30 * 60_000;

/** The maximum number of changed parts in memory. When it is exceeded, all cached values are dropped. */
const maxChangedParts = 100_000;

export function createChangeFeed(database: Pick<Database, "connect">): ChangeFeed {
  /** Incremented by each change that is applied. */
  let position = 0;
  /** Values that were read before this position are invalid. */
  let validFrom = 0;
  const changedAt = new Map<ChangedPart, number>();
  let client: pg.Client | null = null;
  /** The transaction ID from which the next read continues, or null before the first read. */
  let next: bigint | null = null;
  /** The transactions with an ID of at least `next` whose changes were already applied. */
  let applied = new Set<bigint>();
  /** The start of the last successful read, in milliseconds of `performance.now()`. */
  let readAt = Number.NEGATIVE_INFINITY;
  let loop: Loop | null = null;

  function change(part: ChangedPart): void {
    position += 1;
    if (changedAt.size >= maxChangedParts) dropAll();
    changedAt.set(part, position);
  }

  function dropAll(): void {
    position += 1;
    validFrom = position;
    changedAt.clear();
  }

  async function connect(): Promise<pg.Client> {
    const opened = await database.connect();
    opened.on("notification", () => loop?.wake());
    opened.on("error", () => disconnect(opened));
    opened.on("end", () => disconnect(opened));
    try {
      await listenForChanges(opened);
    } catch (error) {
      opened.end().catch(() => undefined);
      throw error;
    }
    return opened;
  }

  function disconnect(broken: pg.Client): void {
    if (client !== broken) return;
    client = null;
    broken.end().catch(() => undefined);
  }

  async function read(): Promise<boolean> {
    client ??= await connect();
    const startedAt = performance.now();
    const isFirst = next === null;
    const found = await readChanges(client, next ?? 0n).catch((error: unknown) => {
      if (client) disconnect(client);
      throw error;
    });
    // A lower transaction ID means that the database was replaced by another one.
    const isReplaced = next !== null && found.next < next;
    if (isFirst || isReplaced || startedAt - readAt > maxGapMs) dropAll();
    else for (const one of found.changes) if (!applied.has(one.transaction)) change(one.part);
    applied = new Set(
      found.changes.flatMap(({ transaction }) => (transaction >= found.next ? transaction : [])),
    );
    next = found.next;
    readAt = startedAt;
    return false;
  }

  return {
    position: () => position,
    isCurrent(part, readPosition, valueReadAt) {
      if (readPosition < validFrom || (changedAt.get(part) ?? 0) > readPosition) return false;
      return performance.now() - Math.max(readAt, valueReadAt) < maxStalenessMs;
    },
    invalidate: change,
    start(background) {
      loop = startLoop({
        name: "configuration changes",
        everyMs,
        background,
        work: read,
        maxBackoffMs: 1_000,
      });
      return loop;
    },
    async close() {
      const closing = client;
      client = null;
      await closing?.end();
    },
  };
}
