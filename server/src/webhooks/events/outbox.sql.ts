import { firstUuidAt, uuidOf, type WebhookEndpointId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Tx } from "../../platform/database/sql.ts";
import type { NewEvent } from "./event.ts";
import type { DeliveryLease } from "./queued-delivery.ts";

/*
 * The outbox: events and their deliveries, inserted in the transaction of the state change that they report. No other
 * file inserts into `events` or `webhook_deliveries` (docs/decisions/0007-deliveries-are-written-with-the-outcome.md).
 */

/**
 * True if the endpoint `w` subscribes to the event `e`. `florin verify` has its own copy of this condition, so that it
 * can detect an error in this one. There must be no other copy.
 */
const subscribes = fragment`(w.enabled_events @> array[e.type] or w.enabled_events @> '{*}')`;

const subscribers = fragment`w.status = 'enabled' and ${subscribes}`;

/**
 * Returns two CTEs. `announced` inserts events, and `queued` inserts a delivery of each event for each subscribed
 * endpoint. `events` selects account_id, livemode, id, type, object_id and body. With a `lease` the caller holds the
 * deliveries and their first attempt counts as started, so that it need not claim the rows that it inserted. Without a
 * lease, and for an endpoint with an open circuit breaker, any worker can claim the deliveries immediately.
 */
export function outbox(
  events: Fragment,
  lease: DeliveryLease | null,
  recipients: Fragment = subscribers,
): Fragment {
  const [attempts, until, process] = leaseParameters(lease);
  return fragment`announced as (
      insert into events (account_id, livemode, id, type, object_id, body)
      ${events}
      returning account_id, livemode, id, type
    ),
    queued as (
      insert into webhook_deliveries (
        account_id, livemode, id, event_id, endpoint_id, status, attempts, next_attempt_at, claimed_by
      )
      select e.account_id, e.livemode, delivery_id(e.id, w.id), e.id, w.id, 'pending',
             case when w.backoff_until is null then ${attempts}::integer else 0 end,
             coalesce(case when w.backoff_until is null then ${until}::timestamptz end, created_at(e.id)),
             case when w.backoff_until is null then ${process}::integer end
        from announced e
        join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode
       where ${recipients}
      returning id, event_id, endpoint_id, claimed_by is not null as leased
    )`;
}

/**
 * Returns the parameters of `outbox` in order: the number of attempts that have begun, the end of the lease, and the
 * process that holds the lease.
 */
export function leaseParameters(lease: DeliveryLease | null) {
  return [lease ? 1 : 0, lease?.until, lease?.process] as const;
}

/** Inserts an event, with a delivery for each subscribed endpoint or for one given endpoint. */
export async function insertEvent(
  tx: Tx,
  scope: Scope,
  event: NewEvent,
  to: WebhookEndpointId | "subscribers" = "subscribers",
): Promise<void> {
  const values = fragment`
      values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(event.id)}, ${event.type},
              ${uuidOf(event.objectId)}, ${event.body})`;
  const recipients = to === "subscribers" ? subscribers : fragment`w.id = ${uuidOf(to)}`;
  await tx`with ${outbox(values, null, recipients)} select from queued`;
}

export type MissedEvents = {
  readonly scope: Scope;
  readonly endpointId: WebhookEndpointId;
  readonly since: Date;
  readonly limit: number;
};

/**
 * Inserts deliveries of up to `limit` events to which an endpoint subscribes and that have no delivery, because the
 * endpoint was disabled when they occurred. Returns their number.
 */
export async function insertMissedDeliveries(tx: Tx, missed: MissedEvents): Promise<number> {
  const { scope, endpointId, since, limit } = missed;
  const rows = await tx`
    insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
    select e.account_id, e.livemode, delivery_id(e.id, w.id), e.id, w.id, 'pending', created_at(e.id)
      from webhook_endpoints w
      join events e
        on e.account_id = w.account_id and e.livemode = w.livemode
       and e.id >= greatest(${firstUuidAt(since)}::uuid, w.id)
       and ${subscribes} and e.type <> 'ping'
     where w.account_id = ${uuidOf(scope.account)} and w.livemode = ${scope.livemode}
       and w.id = ${uuidOf(endpointId)}
       and not exists (
         select from webhook_deliveries d
          where d.account_id = e.account_id and d.livemode = e.livemode and d.id = delivery_id(e.id, w.id)
       )
     order by e.id
     limit ${limit}
        on conflict do nothing
    returning id
  `;
  return rows.length;
}
