import type { Tx } from "../../platform/database/sql.ts";

/*
 * Deletes expired rows of the default partitions. These contain only rows of weeks without a partition, which occur if
 * the job that creates the partitions was behind. All other weeks are dropped as whole partitions.
 */

/** Deletes up to `limit` deliveries with an ID below `before` that are not pending. Returns their number. */
export async function deleteOldDeliveries(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from webhook_deliveries_default
     where (account_id, livemode, id) in (
       select account_id, livemode, id
         from webhook_deliveries_default
        where id < ${before} and status <> 'pending'
        limit ${limit}
     )
    returning id
  `;
  return rows.length;
}

/** Deletes up to `limit` events with an ID below `before` that have no delivery. Returns their number. */
export async function deleteOldEvents(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from events_default
     where (account_id, livemode, id) in (
       select e.account_id, e.livemode, e.id
         from events_default e
        where e.id < ${before}
          and not exists (
            select from webhook_deliveries d
             where d.account_id = e.account_id and d.livemode = e.livemode
               and d.id between overlay(e.id::text placing '000000000000' from 25)::uuid
                            and overlay(e.id::text placing 'ffffffffffff' from 25)::uuid
          )
        limit ${limit}
     )
    returning id
  `;
  return rows.length;
}
