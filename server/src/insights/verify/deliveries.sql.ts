import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples } from "./check.ts";

const delivery = (uuid: string): string => idFromUuid("whd", uuid);

/** Finds deliveries of an event that does not exist or belongs to another merchant. */
export async function findDeliveriesOfNothing(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; event_id: string }>`
    select count(*) over () as total, d.id, d.event_id
      from webhook_deliveries d
      left join events e
        on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.event_id
     where e.id is null
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, event_id }) =>
      `${delivery(id)} belongs to ${idFromUuid("evt", event_id)}, which does not exist.`,
  );
}

/**
 * Finds deliveries with an inconsistent status: succeeded without a 2xx in the last attempt, given up without a failure
 * in the last attempt, or pending without a next attempt.
 */
export async function findDeliveriesWithoutReason(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; status: string }>`
    select count(*) over () as total, id, status
      from webhook_deliveries
     where (status = 'succeeded'
            and coalesce((log -> -1 ->> 'status_code')::integer not between 200 and 299, true))
        or (status = 'given_up'
            and coalesce((log -> -1 ->> 'status_code')::integer between 200 and 299,
                         log -> -1 ->> 'failure' is null))
        or (status = 'pending' and next_attempt_at is null)
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, status }) =>
      `${delivery(id)} is ${status}, but its last attempt or the time of its next attempt contradicts this status.`,
  );
}

/**
 * Finds events without a delivery to an endpoint that already existed and that subscribes to them. See
 * `endpointsNeverChanged`.
 */
export async function findEventsNotQueued(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; type: string; endpoint_id: string }>`
    select count(*) over () as total, e.id, e.type, w.id as endpoint_id
      from webhook_endpoints w
      join events e on e.account_id = w.account_id and e.livemode = w.livemode and e.id > w.id
      left join webhook_deliveries d
        on d.account_id = e.account_id and d.livemode = e.livemode and d.id = delivery_id(e.id, w.id)
     where w.status = 'enabled' and (w.enabled_events @> array[e.type] or w.enabled_events @> '{*}')
       and e.type <> 'ping' and d.id is null
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, type, endpoint_id }) =>
      `${idFromUuid("evt", id)} (${type}) has no delivery to ${idFromUuid("we", endpoint_id)}.`,
  );
}
