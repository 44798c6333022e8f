import type { EventType } from "@florin/contract/event.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import { type EventId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { fragment, type RowSql, type Sql } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows, valuesOf } from "../../platform/http/list.ts";

/** Returns the event's type, and its body as it was rendered when the event happened. */
export async function readEvent(
  read: Sql,
  scope: Scope,
  id: EventId,
): Promise<{ readonly type: EventType; readonly body: string } | null> {
  const [row] = await read<{ type: EventType; body: string }>`
    select type, body
      from events
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ?? null;
}

export function listEventBodies(
  readRows: RowSql,
  scope: Scope,
  type: OneOrMore<EventType> | undefined,
  page: Page,
): Promise<Buffer[]> {
  return readRows((row) => row.utf8(0))`
    select body
      from events
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`type`, type)}
       ${type && !valuesOf(type).some((one) => frequentTypes.includes(one)) ? indexed : fragment``}
       ${pageRows(page)}
  `;
}

/**
 * The most frequent event types. The type index omits them, because an entry would cost a write for each event. Events
 * of these types are found by time.
 */
const frequentTypes: readonly EventType[] = [
  "payment.succeeded",
  "payment_failed",
  "checkout_session.completed",
];

/** Repeats the predicate of the partial indexes literally, because the planner cannot match a parameter to it. */
export const indexed = fragment`
       and type not in ('payment.succeeded', 'payment_failed', 'checkout_session.completed')`;

/**
 * Returns the oldest events from `from` on, except those in `except`. `not in` uses a hash table. With `<> all`, each
 * event would be compared with each excluded ID.
 */
export async function readEventsFrom(
  read: Sql,
  scope: Scope,
  filter: {
    readonly from: string;
    readonly except: readonly string[];
    readonly types: readonly EventType[] | null;
    readonly limit: number;
  },
): Promise<{ id: string; body: string }[]> {
  return read<{ id: string; body: string }>`
    select id, body
      from events
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id >= ${filter.from}
       and id not in (select unnest(${filter.except}::uuid[]))
       and (${filter.types}::text[] is null or type = any (${filter.types}::text[]))
     order by id
     limit ${filter.limit}
  `;
}
