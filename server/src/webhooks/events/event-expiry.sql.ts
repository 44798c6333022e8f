import { booleans, rowsOf, uuids } from "../../platform/database/array-parameter.ts";
import type { Fragment, Sql, Tx } from "../../platform/database/sql.ts";

/** The primary key of a stored event. */
export type StoredEvent = {
  readonly account: string;
  readonly livemode: boolean;
  readonly id: string;
};

/**
 * Returns up to `limit` events, across all merchants, whose ID is below `before` and that have no pending delivery.
 * Each merchant's oldest events are the start of a range of the primary key, so no further index is needed.
 */
export async function listOldEvents(
  read: Sql,
  before: string,
  limit: number,
): Promise<StoredEvent[]> {
  return read<StoredEvent>`
    select old.account_id as account, old.livemode, old.id
      from accounts a
      cross join (values (true), (false)) as mode (livemode)
      cross join lateral (
        select e.account_id, e.livemode, e.id
          from events e
         where e.account_id = a.id and e.livemode = mode.livemode and e.id < ${before}
           and not exists (
             select from webhook_deliveries d
              where d.account_id = e.account_id and d.livemode = e.livemode and d.status = 'pending'
                and d.id between overlay(e.id::text placing '000000000000' from 25)::uuid
                             and overlay(e.id::text placing 'ffffffffffff' from 25)::uuid
           )
         order by e.id
         limit ${limit}
      ) old
     limit ${limit}
  `;
}

/** Deletes the finished deliveries of these events. A delivery that was resent in the meantime is pending and stays. */
export async function deleteDeliveriesOf(tx: Tx, events: readonly StoredEvent[]): Promise<void> {
  await tx`
    delete from webhook_deliveries d
     using ${keysOf(events)} as e
     where d.account_id = e.account_id and d.livemode = e.livemode and d.event_id = e.id and d.status <> 'pending'
       and d.id between overlay(e.id::text placing '000000000000' from 25)::uuid
                    and overlay(e.id::text placing 'ffffffffffff' from 25)::uuid
  `;
}

/** Deletes these events, except those that still have a delivery. */
export async function deleteEvents(tx: Tx, events: readonly StoredEvent[]): Promise<void> {
  await tx`
    delete from events e
     using ${keysOf(events)} as old
     where e.account_id = old.account_id and e.livemode = old.livemode and e.id = old.id
       and not exists (
         select from webhook_deliveries d
          where d.account_id = e.account_id and d.livemode = e.livemode
            and d.id between overlay(e.id::text placing '000000000000' from 25)::uuid
                         and overlay(e.id::text placing 'ffffffffffff' from 25)::uuid
       )
  `;
}

function keysOf(events: readonly StoredEvent[]): Fragment {
  return rowsOf({
    account_id: uuids(events, (event) => event.account),
    livemode: booleans(events, (event) => event.livemode),
    id: uuids(events, (event) => event.id),
  });
}
