import type { EventType } from "@florin/contract/event.ts";
import type { Clock } from "../../core/clock.ts";
import { createdAt, type EventId, firstUuidAt, idFromUuid } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { readEventsFrom } from "./event.sql.ts";

/** Returns a merchant's events in batches, each event once. */
export type Feed = { next(): Promise<{ readonly id: EventId; readonly body: string }[]> };

/**
 * An event gets its ID before its transaction commits, so it may become visible after events with later IDs. A full
 * read therefore starts `lookBackMs` + `fullReadMs` before the newest event, or before the last read if that read
 * returned every event. `lookBackMs` is the maximum duration of a commit, including a restart of Postgres.
 */
const lookBackMs = 120_000;

/**
 * Most commits take milliseconds, so all other reads start only this long before that event or read. Otherwise each
 * poll would read the events of the last two minutes again, which can be many.
 */
const shortLookBackMs = 5_000;

/**
 * The interval of full reads, and so the maximum delay of an event whose commit was slow. While a stream catches up
 * with older events, every read is a full read.
 */
const fullReadMs = 10_000;

/** The maximum number of events of a batch. */
const maxBatch = 200;
/** The size at which a batch ends. A batch is in memory until it is sent. */
const maxBatchCharacters = 512 * 1024;

export function createEventFeed(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  scope: Scope,
  { types, after }: { readonly types: readonly EventType[] | null; readonly after: EventId | null },
): Feed {
  let newest = after ? createdAt(after) : clock.now();
  /**
   * The time from which the feed returns events. A new feed starts now, and a resumed feed a little before its last
   * event.
   */
  const start = after ? newest.getTime() - lookBackMs : newest.getTime();
  /** Creation times of the events already returned, by uuid. */
  const returned = new Map<string, number>();
  /** The time of the last full read that returned every event. */
  let fullyReadAt: Date | null = null;
  /** The maximum number of events that the next read returns. It depends on the size of the last batch. */
  let limit = maxBatch;

  return {
    async next() {
      const readAt = clock.now();
      const isFull = fullyReadAt === null || readAt.getTime() - fullyReadAt.getTime() >= fullReadMs;
      const oldest = newest.getTime() - lookBackMs - fullReadMs;
      const from = Math.max(start, isFull ? oldest : newest.getTime() - shortLookBackMs);
      for (const [uuid, time] of returned) if (time < oldest) returned.delete(uuid);
      const rows = await readEventsFrom(database.read, scope, {
        from: firstUuidAt(new Date(from)),
        except: [...returned].flatMap(([uuid, time]) => (time < from ? [] : uuid)),
        types,
        limit,
      });
      const batch = firstOf(rows);
      const isComplete = rows.length < limit && batch.length === rows.length;
      if (isComplete && isFull) fullyReadAt = readAt;
      // Without this line, a stream of rare types would read all other events since its start again and again.
      if (isComplete && readAt > newest) newest = readAt;
      limit = batch.length < rows.length ? batch.length : Math.min(limit * 2, maxBatch);
      return batch.map(({ id: uuid, body }) => {
        const id = idFromUuid("evt", uuid);
        const time = createdAt(id);
        returned.set(uuid, time.getTime());
        if (time > newest) newest = time;
        return { id, body };
      });
    },
  };
}

/**
 * Returns as many of the first rows as fit into the maximum size with their bodies, but at least one row if there are
 * any.
 */
function firstOf<Row extends { readonly body: string }>(rows: readonly Row[]): readonly Row[] {
  let size = 0;
  const end = rows.findIndex(({ body }, index) => {
    size += body.length;
    return index > 0 && size > maxBatchCharacters;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
