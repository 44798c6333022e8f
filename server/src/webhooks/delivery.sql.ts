import {
  booleans,
  integers,
  jsons,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { type Page, pageRows } from "../http/list.ts";
import {
  type DeliveryId,
  type EventId,
  idFromUuid,
  uuidOf,
  type WebhookEndpointId,
} from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { AttemptRecord, ClaimedDelivery, LogEntry } from "./delivery.ts";

/** How many more deliveries may be claimed for an endpoint that is being sent to. */
export type Room = { readonly endpointId: WebhookEndpointId; readonly room: number };

export type ClaimRequest = {
  readonly now: Date;
  /** The lease: when what is claimed comes due again by itself, should this process die. */
  readonly until: Date;
  /** Endpoints are visited in order of their uuid, from the one after this. */
  readonly after: string;
  readonly endpoints: number;
  readonly rooms: readonly Room[];
  /** The room of an endpoint that is not in `rooms`. */
  readonly otherRoom: number;
  readonly limit: number;
};

export type Claim = {
  readonly deliveries: ClaimedDelivery[];
  /** Where the next claim goes on; null when the round is complete. */
  readonly next: string | null;
};

export const firstEndpoint = "00000000-0000-0000-0000-000000000000";

/**
 * Claims what is due, going round the endpoints: each gets its share, however long another's queue is. `waiting`
 * steps from endpoint to endpoint through the index, so an endpoint with a million deliveries costs one step.
 *
 * Two workers never get the same attempt, since the update tests again what the search found. The attempt is
 * counted here, and so is durable before the first byte leaves.
 *
 * The update does not say `status = 'pending'`, which a time to be due implies (the table's CHECK): it would let
 * the planner reach the rows through the partial index, where each costs a walk over all that is due.
 */
export async function claimDeliveries(tx: Tx, request: ClaimRequest): Promise<Claim> {
  const { now, until, after, endpoints, rooms, otherRoom, limit } = request;
  const rows = await tx<ClaimRow>`
    with recursive waiting (endpoint_id, step) as (
      (select endpoint_id, 1
         from webhook_deliveries
        where status = 'pending' and endpoint_id > ${after}::uuid
        order by endpoint_id
        limit 1)
      union all
      select (select d.endpoint_id
                from webhook_deliveries d
               where d.status = 'pending' and d.endpoint_id > w.endpoint_id
               order by d.endpoint_id
               limit 1),
             w.step + 1
        from waiting w
       where w.endpoint_id is not null and w.step < ${endpoints}::integer
    ),
    due as materialized (
      select d.account_id, d.livemode, d.id
        from waiting w
        left join unnest(
          ${uuids(rooms, ({ endpointId }) => endpointId)}::uuid[],
          ${integers(rooms, ({ room }) => room)}::integer[]
        ) as r (endpoint_id, room) on r.endpoint_id = w.endpoint_id
       cross join lateral (
         select d.account_id, d.livemode, d.id
           from webhook_deliveries d
          where d.status = 'pending' and d.endpoint_id = w.endpoint_id and d.next_attempt_at <= ${now}
          order by d.next_attempt_at
          limit coalesce(r.room, ${otherRoom}::integer)
       ) d
       limit ${limit}
    ),
    claimed as (
      update webhook_deliveries d
         set attempts = d.attempts + 1, next_attempt_at = ${until}
        from due
       where d.account_id = due.account_id and d.livemode = due.livemode and d.id = due.id
         and d.next_attempt_at <= ${now}
      returning d.account_id, d.livemode, d.id, d.event_id, d.endpoint_id, d.attempts
    ),
    sendable as (
      select c.*, e.body
        from claimed c
        left join events e on e.account_id = c.account_id and e.livemode = c.livemode and e.id = c.event_id
    )
    select s.*, w.last_endpoint
      from (select case when count(endpoint_id) = ${endpoints}::integer
                        then (array_agg(endpoint_id order by step desc) filter (where endpoint_id is not null))[1]
                   end as last_endpoint
              from waiting) w
      left join sendable s on true
  `;
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : [toClaimed(row)]));
  // Cut short by the limit, the round goes on where it was cut.
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
  body: string | null;
};

function toClaimed(row: ClaimRow): ClaimedDelivery {
  return {
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("whd", row.id as string),
    eventId: idFromUuid("evt", row.event_id),
    endpointId: idFromUuid("we", row.endpoint_id),
    attempt: row.attempts,
    body: Buffer.from(row.body ?? ""),
  };
}

/**
 * Writes down what a batch of attempts met. Answers, for each, whether it was recorded: false when the lease had
 * run out and another worker has begun a later attempt, whose word counts.
 */
export async function recordAttempts(tx: Tx, records: AttemptRecord[]): Promise<boolean[]> {
  const rows = await tx<{ id: string }>`
    with input as materialized (
      select *
        from unnest(
          ${uuids(records, ({ delivery }) => delivery.owner.account)}::uuid[],
          ${booleans(records, ({ delivery }) => delivery.owner.livemode)}::boolean[],
          ${uuids(records, ({ delivery }) => delivery.id)}::uuid[],
          ${smallints(records, ({ delivery }) => delivery.attempt)}::smallint[],
          ${texts(records, ({ status }) => status)}::text[],
          ${timestamps(records, ({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[],
          ${jsons(records, ({ entry }) => entry)}::jsonb[]
        ) as t (account_id, livemode, id, attempt, status, next_attempt_at, entry)
    )
    update webhook_deliveries d
       set status = i.status, next_attempt_at = i.next_attempt_at,
           attempts = case when i.entry is null then d.attempts - 1 else d.attempts end,
           log = case when i.entry is null then d.log else d.log || i.entry end
      from input i
     where d.account_id = i.account_id and d.livemode = i.livemode and d.id = i.id
       and d.next_attempt_at is not null and d.attempts = i.attempt
    returning d.id
  `;
  const recorded = new Set(rows.map((row) => row.id));
  return records.map(({ delivery }) => recorded.has(uuidOf(delivery.id)));
}

/** A delivery as a merchant may read it. */
export type DeliveryRow = {
  id: string;
  livemode: boolean;
  event_id: string;
  event_type: string;
  endpoint_id: string;
  url: string | null;
  status: "pending" | "succeeded" | "given_up";
  attempts: number;
  next_attempt_at: Date | null;
  body: string;
  log: LogEntry[];
};

export type DeliveryFilter = {
  readonly endpointId: WebhookEndpointId;
  readonly status?: DeliveryRow["status"] | undefined;
  readonly eventId?: EventId | undefined;
};

export async function listDeliveries(
  read: Sql,
  owner: Owner,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  return read<DeliveryRow>`
    select d.id, d.livemode, d.event_id, e.type as event_type, d.endpoint_id, w.url, d.status, d.attempts,
           d.next_attempt_at, e.body, d.log
      from (
        select *
          from webhook_deliveries
         where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
           and endpoint_id = ${uuidOf(filter.endpointId)}
           ${filter.status ? fragment`and status = ${filter.status}` : fragment``}
           ${filter.eventId ? fragment`and event_id = ${uuidOf(filter.eventId)}` : fragment``}
           ${pageRows(page)}
      ) d
      join events e on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.event_id
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     order by d.id ${page.upwards ? fragment`asc` : fragment`desc`}
  `;
}

export async function readDelivery(
  read: Sql,
  owner: Owner,
  id: DeliveryId,
): Promise<DeliveryRow | null> {
  const [row] = await read<DeliveryRow>`
    select d.id, d.livemode, d.event_id, e.type as event_type, d.endpoint_id, w.url, d.status, d.attempts,
           d.next_attempt_at, e.body, d.log
      from webhook_deliveries d
      join events e on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.event_id
      left join webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     where d.account_id = ${uuidOf(owner.account)} and d.livemode = ${owner.livemode} and d.id = ${uuidOf(id)}
  `;
  return row ?? null;
}

/** Makes a finished delivery due once more. Its attempts are counted on, for their number is the fence. */
export async function resendDelivery(
  tx: Tx,
  owner: Owner,
  id: DeliveryId,
  now: Date,
): Promise<void> {
  await tx`
    update webhook_deliveries
       set status = 'pending', next_attempt_at = ${now}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
       and status <> 'pending'
  `;
}
