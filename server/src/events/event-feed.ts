import type { EventType } from "@florin/contract/event.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../primitives/clock.ts";
import { createdAt, type EventId, firstUuidAt, idFromUuid } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { readEventsFrom } from "./event.sql.ts";

/** A merchant's events, one batch after another, each event once. */
export type Feed = { next(): Promise<{ readonly id: EventId; readonly body: string }[]> };

/**
 * An event's id is drawn before its transaction commits, so one with an earlier id may be seen later. For as long as a
 * commit may take, even through a restart of Postgres, what lies behind the newest event is looked at again.
 */
const lookBackMs = 120_000;

const batch = 200;

export function openFeed(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  owner: Owner,
  { types, after }: { readonly types: readonly EventType[] | null; readonly after: EventId | null },
): Feed {
  let newest = after ? createdAt(after) : clock.now();
  /** Where the feed begins: a new one at this moment, a resumed one a little before its last event. */
  const start = after ? newest.getTime() - lookBackMs : newest.getTime();
  /** What was given already, by uuid, with its time. */
  const given = new Map<string, number>();

  return {
    async next() {
      const from = Math.max(start, newest.getTime() - lookBackMs);
      for (const [uuid, time] of given) if (time < from) given.delete(uuid);
      const rows = await readEventsFrom(database.read, owner, {
        from: firstUuidAt(new Date(from)),
        except: [...given.keys()],
        types,
        limit: batch,
      });
      return rows.map(({ id: uuid, body }) => {
        const id = idFromUuid("evt", uuid);
        const time = createdAt(id);
        given.set(uuid, time.getTime());
        if (time > newest) newest = time;
        return { id, body };
      });
    },
  };
}
