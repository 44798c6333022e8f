import type { EventType } from "@florin/contract/event.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import { maxBackoffMs } from "../../core/circuit-breaker.ts";
import {
  createdAt,
  type DeliveryId,
  type EventId,
  firstUuidAt,
  idFromUuid,
  uuidOf,
  type WebhookEndpointId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { areReturned } from "../../platform/database/are-returned.ts";
import {
  booleans,
  integers,
  jsons,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { meetsOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import type { MissedEvents } from "../events/outbox.sql.ts";
import {
  type AttemptRecord,
  type ClaimedDelivery,
  type LogEntry,
  maxAttempts,
  workerLost,
} from "./delivery.ts";

/** The number of further deliveries that a claim may return for an endpoint that already has a queue. */
export type EndpointCapacity = { readonly endpoint: string; readonly capacity: number };

export type ClaimRequest = {
  readonly now: Date;
  /** The number of the claiming process. */
  readonly process: number;
  /** The end of the lease. If this process stops responding, its deliveries come due again at this time. */
  readonly until: Date;
  /** The UUID of an endpoint. Endpoints are visited in the order of their UUIDs, starting after this endpoint. */
  readonly after: string;
  readonly endpoints: number;
  readonly capacities: readonly EndpointCapacity[];
  /** The capacity of an endpoint that is not in `capacities`. */
  readonly otherCapacity: number;
  /** The accounts whose deliveries are not claimed. */
  readonly exceptAccounts: readonly Scope[];
  readonly limit: number;
};

export type Claim = {
  /** The deliveries of each endpoint are in the order in which they came due. */
  readonly deliveries: ClaimedDelivery[];
  /** The endpoint after which the next claim continues, or null when the round is complete. */
  readonly next: string | null;
};

export const firstEndpoint = "00000000-0000-0000-0000-000000000000";

/**
 * Claims due deliveries by endpoint, so that a long queue of one endpoint does not delay the others. `waiting` is a
 * loose index scan: an endpoint with a million deliveries costs one step. Endpoints with an open circuit breaker are
 * skipped. An endpoint whose backoff has ended gets a single delivery as a probe.
 *
 * Two workers never claim the same attempt, because the UPDATE checks the due time again. The UPDATE also counts the
 * attempt, so the count is durable before the first byte is sent. If the worker of an earlier attempt died, that
 * attempt was counted and has no outcome. The UPDATE adds its log entry.
 *
 * The UPDATE omits `status = 'pending'`, which a CHECK constraint implies for a row with a due time. With the
 * condition, the planner may choose the partial index and scan all due deliveries once per row.
 */
export async function claimDeliveries(tx: Tx, request: ClaimRequest): Promise<Claim> {
  const { now, process, until, after, endpoints, capacities, otherCapacity, limit } = request;
  const maxBackoffUntil = new Date(now.getTime() + maxBackoffMs);
  const skipped = rowsOf({
    account_id: uuids(request.exceptAccounts, ({ account }) => account),
    livemode: booleans(request.exceptAccounts, ({ livemode }) => livemode),
  });
  const given = rowsOf({
    endpoint_id: uuids(capacities, ({ endpoint }) => endpoint as WebhookEndpointId),
    capacity: integers(capacities, ({ capacity }) => capacity),
  });
  const rows = await tx<ClaimRow>`
    with recursive waiting (account_id, livemode, endpoint_id, step) as (
      (select account_id, livemode, endpoint_id, 1
         from webhook_deliveries
        where status = 'pending' and endpoint_id > ${after}::uuid
        order by endpoint_id
        limit 1)
      union all
      select n.account_id, n.livemode, n.endpoint_id, w.step + 1
        from waiting w
       cross join lateral (
         select d.account_id, d.livemode, d.endpoint_id
           from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id
          limit 1
       ) n
       where w.step < ${endpoints}::integer
    ),
    due as materialized (
      select d.account_id, d.livemode, d.id, d.next_attempt_at as due_at
        from waiting w
        left join webhook_endpoints e
          on e.account_id = w.account_id and e.livemode = w.livemode and e.id = w.endpoint_id
        left join ${given} as r on r.endpoint_id = w.endpoint_id
        left join ${skipped} as f on f.account_id = w.account_id and f.livemode = w.livemode
       cross join lateral (
         select d.account_id, d.livemode, d.id, d.next_attempt_at
           from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_id = w.endpoint_id and d.next_attempt_at <= ${now}
            and (e.backoff_until is null or e.backoff_until <= ${now} or e.backoff_until > ${maxBackoffUntil})
            and f.account_id is null
          order by d.next_attempt_at
          limit least(coalesce(r.capacity, ${otherCapacity}::integer), case when e.backoff_until is null then ${limit}::integer else 1 end)
       ) d
       limit ${limit}
    ),
    claimed as (
      update webhook_deliveries d
         set attempts = least(d.attempts + 1, ${maxAttempts}), next_attempt_at = ${until}, claimed_by = ${process},
             log = case when d.claimed_by is null then d.log
                        else d.log || ${JSON.stringify(workerLost(now))}::jsonb end
        from due
       where d.account_id = due.account_id and d.livemode = due.livemode and d.id = due.id
         and d.next_attempt_at <= ${now}
      returning d.account_id, d.livemode, d.id, d.event_id, d.endpoint_id, d.attempts, due.due_at
    ),
    sendable as (
      select c.*, e.body, e.object_id
        from claimed c
        left join events e on e.account_id = c.account_id and e.livemode = c.livemode and e.id = c.event_id
    )
    select s.*, w.last_endpoint
      from (select case when count(*) = ${endpoints}::integer
                        then (array_agg(endpoint_id order by step desc))[1]
                   end as last_endpoint
              from waiting) w
      left join sendable s on true
     order by s.due_at
  `;
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : [toClaimed(row, until)]));
  // If the limit was reached, the next claim continues after the last endpoint.
  const full = deliveries.length >= limit;
  return { deliveries, next: full ? lastOf(rows) : (rows[0]?.last_endpoint ?? null) };
}

function lastOf(rows: ClaimRow[]): string {
  return rows.reduce(
    (last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last),
    firstEndpoint,
  );
}

type ClaimRow = {
  last_endpoint: string | null;
  account_id: string;
  livemode: boolean;
  id: string | null;
  event_id: string;
  endpoint_id: string;
  attempts: number;
  due_at: Date;
  body: string | null;
  object_id: string | null;
};

function toClaimed(row: ClaimRow, until: Date): ClaimedDelivery {
  return {
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("whd", row.id as string),
    eventId: idFromUuid("evt", row.event_id),
    objectId: row.object_id ?? "",
    endpointId: idFromUuid("we", row.endpoint_id),
    attempt: row.attempts,
    dueAt: row.due_at,
    leasedUntil: until,
    body: Buffer.from(row.body ?? ""),
  };
}

/**
 * Records the outcomes of a batch of attempts. Returns whether each outcome was recorded. An outcome is not recorded if
 * the worker no longer has the lease. The delivery is then sent again, and the outcome of that later attempt counts.
 */
export async function recordAttempts(
  tx: Tx,
  process: number,
  records: AttemptRecord[],
): Promise<boolean[]> {
  const input = rowsOf({
    account_id: uuids(records, ({ delivery }) => delivery.scope.account),
    livemode: booleans(records, ({ delivery }) => delivery.scope.livemode),
    id: uuids(records, ({ delivery }) => delivery.id),
    leased_until: timestamps(records, ({ delivery }) => delivery.leasedUntil),
    status: texts(records, ({ status }) => status),
    next_attempt_at: timestamps(records, ({ nextAttemptAt }) => nextAttemptAt),
    entry: jsons(records, ({ entry }) => entry),
  });
  const rows = await tx<{ id: string }>`
    with input as materialized ${input}
    update webhook_deliveries d
       set status = i.status, next_attempt_at = i.next_attempt_at, claimed_by = null,
           attempts = case when i.entry is null then d.attempts - 1 else d.attempts end,
           log = case when i.entry is null then d.log else d.log || i.entry end
      from input i
     where d.account_id = i.account_id and d.livemode = i.livemode and d.id = i.id
       and d.claimed_by = ${process} and d.next_attempt_at = i.leased_until
    returning d.id
  `;
  return areReturned(
    records.map(({ delivery }) => uuidOf(delivery.id)),
    rows.map(({ id }) => id),
  );
}

/**
 * Releases the deliveries that a dead server process had claimed. The released deliveries are due immediately, even if
 * the clock was ahead when their events were created. A first attempt keeps its place in the queue. The dead process
 * stays recorded in the row, so that the next claim logs that an attempt may have been in flight.
 */
export async function releaseDeliveriesOf(tx: Tx, process: number, now: Date): Promise<void> {
  await tx`
    update webhook_deliveries
       set next_attempt_at = case when attempts <= 1 then least(created_at(event_id), ${now}) else ${now} end
     where status = 'pending' and claimed_by = ${process} and next_attempt_at > ${now}
  `;
}

/** A delivery as shown to the merchant. */
export type DeliveryRow = {
  id: string;
  livemode: boolean;
  event_id: string;
  event_type: EventType;
  endpoint_id: string;
  url: string | null;
  status: "pending" | "succeeded" | "given_up";
  /** The number of attempts, including one that is in flight. */
  attempts: number;
  next_attempt_at: Date | null;
  body: string;
  log: LogEntry[];
};

export type DeliveryFilter = {
  readonly endpointId: WebhookEndpointId;
  readonly status?: OneOrMore<DeliveryRow["status"]> | undefined;
  readonly eventId?: EventId | undefined;
};

/** The type in the event's body. A sample event is stored as a ping. */
const eventType = fragment`
  case when e.type = 'ping' then e.body::jsonb->>'type' else e.type end as event_type`;

/** A waiting delivery is not attempted before the backoff of its endpoint's circuit breaker ends. */
const nextAttempt = fragment`
  case when d.claimed_by is null and d.next_attempt_at < w.backoff_until then w.backoff_until
       else d.next_attempt_at end as next_attempt_at`;

/** Literals instead of parameters, so that the planner can use the partial indexes of the rare statuses. */
const statusConditions = {
  pending: fragment`status = 'pending'`,
  succeeded: fragment`status = 'succeeded'`,
  given_up: fragment`status = 'given_up'`,
} as const;

export async function listDeliveries(
  read: Sql,
  scope: Scope,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  return read<DeliveryRow>`
    select d.id, d.livemode, d.event_id, ${eventType}, d.endpoint_id, w.url, d.status,
           jsonb_array_length(d.log) + case when d.claimed_by is null then 0 else 1 end as attempts,
           ${nextAttempt}, e.body, d.log
      from (
        select *
          from webhook_deliveries
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
           and endpoint_id = ${uuidOf(filter.endpointId)}
           ${meetsOneOf(statusConditions, filter.status)}
           -- No delivery is older than its endpoint.
           and id >= ${firstUuidAt(createdAt(filter.endpointId))}
           ${filter.eventId ? fragment`and event_id = ${uuidOf(filter.eventId)}` : fragment``}
           ${pageRows(page)}
      ) d
      join events e on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.event_id
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     order by d.id ${page.upwards ? fragment`asc` : fragment`desc`}
  `;
}

/**
 * Returns the deliveries of these events. A delivery's ID equals its event's ID except for the last 48 bits, so the
 * deliveries of each event are a range of the primary key.
 */
export async function listDeliveriesOf(
  read: Sql,
  scope: Scope,
  events: readonly EventId[],
): Promise<DeliveryRow[]> {
  return read<DeliveryRow>`
    select d.id, d.livemode, d.event_id, ${eventType}, d.endpoint_id, w.url, d.status,
           jsonb_array_length(d.log) + case when d.claimed_by is null then 0 else 1 end as attempts,
           ${nextAttempt}, e.body, d.log
      from unnest(${events.map(uuidOf)}::uuid[]) as requested (id)
      join events e
        on e.account_id = ${uuidOf(scope.account)} and e.livemode = ${scope.livemode} and e.id = requested.id
      join webhook_deliveries d
        on d.account_id = e.account_id and d.livemode = e.livemode and d.event_id = e.id
       and d.id between overlay(e.id::text placing '000000000000' from 25)::uuid
                    and overlay(e.id::text placing 'ffffffffffff' from 25)::uuid
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     order by d.id
  `;
}

export async function readDelivery(
  read: Sql,
  scope: Scope,
  id: DeliveryId,
): Promise<DeliveryRow | null> {
  const [row] = await read<DeliveryRow>`
    select d.id, d.livemode, d.event_id, ${eventType}, d.endpoint_id, w.url, d.status,
           jsonb_array_length(d.log) + case when d.claimed_by is null then 0 else 1 end as attempts,
           ${nextAttempt}, e.body, d.log
      from webhook_deliveries d
      join events e on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.event_id
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     where d.account_id = ${uuidOf(scope.account)} and d.livemode = ${scope.livemode} and d.id = ${uuidOf(id)}
  `;
  return row ?? null;
}

/** Keeps the last 30 entries of a delivery's log when it is resent, so that no row grows without bound. */
const shortenedLog = fragment`jsonb_path_query_array(log, '$[last - 29 to last]')`;

/**
 * Returns a due time that is earlier than the due times of all waiting deliveries of the endpoint, so that the delivery
 * is sent first.
 */
const firstPlace = (now: Date) => fragment`
  least(${now}::timestamptz,
        (select min(o.next_attempt_at) - interval '1 millisecond'
           from webhook_deliveries o
          where o.account_id = d.account_id and o.livemode = d.livemode and o.endpoint_id = d.endpoint_id
            and o.status = 'pending'))`;

/**
 * Makes a delivery due again, before all others of the endpoint, and restarts its retry schedule. Returns false if an
 * attempt is in flight.
 */
export async function resendDelivery(
  tx: Tx,
  scope: Scope,
  id: DeliveryId,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update webhook_deliveries d
       set status = 'pending', next_attempt_at = ${firstPlace(now)}, attempts = 0, log = ${shortenedLog}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and claimed_by is null
    returning id
  `;
  return rows.length === 1;
}

/** Makes a delivery due before all others of the endpoint. The delivery must have been inserted in this transaction. */
export async function putFirst(
  tx: Tx,
  scope: Scope,
  to: { readonly eventId: EventId; readonly endpointId: WebhookEndpointId },
  now: Date,
): Promise<void> {
  await tx`
    update webhook_deliveries d
       set next_attempt_at = ${firstPlace(now)}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id = delivery_id(${uuidOf(to.eventId)}::uuid, ${uuidOf(to.endpointId)}::uuid)
       and status = 'pending'
  `;
}

/** Makes up to `limit` `given_up` deliveries of an endpoint due again, oldest first. Returns their number. */
export async function resendGivenUp(tx: Tx, missed: MissedEvents): Promise<number> {
  const { scope, endpointId, since, limit } = missed;
  const rows = await tx`
    with chosen as materialized (
      select account_id, livemode, id
        from webhook_deliveries
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         and id >= ${firstUuidAt(since)} and endpoint_id = ${uuidOf(endpointId)} and status = 'given_up'
       order by id
       limit ${limit}
    )
    update webhook_deliveries d
       set status = 'pending', next_attempt_at = created_at(d.event_id), attempts = 0, log = ${shortenedLog}
      from chosen c
     where d.account_id = c.account_id and d.livemode = c.livemode and d.id = c.id and d.status = 'given_up'
    returning d.id
  `;
  return rows.length;
}

/** Returns whether a delivery with an ID in this range, of any merchant, is pending. */
export async function hasPendingDelivery(
  tx: Tx,
  { first, next }: { readonly first: string; readonly next: string },
): Promise<boolean> {
  const [row] = await tx<{ found: boolean }>`
    select exists (
      select from webhook_deliveries where status = 'pending' and id >= ${first} and id < ${next}
    ) as found
  `;
  return row?.found === true;
}
