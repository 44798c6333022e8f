import { type ConnectionId, uuidOf } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";

/**
 * Counts the charges and operations of the connection that have not ended, including charges that wait for 3-D Secure
 * and authorized charges. An authorized charge could otherwise be neither captured nor canceled. Does not count those
 * in manual review, because an operator decides about them. Does not count an expired authorization whose void the
 * acquirer has declined, because the acquirer has already released it.
 */
export async function countUnfinishedPayments(
  read: Sql,
  connection: ConnectionId,
): Promise<number> {
  const [row] = await read<{ count: number }>`
    select (select count(*)
              from charges c
              join processor_assignments a on a.account_id = c.account_id and a.id = c.assignment_id
             where a.connection_id = ${uuidOf(connection)} and c.livemode and c.due_at is not null)::int
         + (select count(*)
              from charges c
              join processor_assignments a on a.account_id = c.account_id and a.id = c.assignment_id
             where a.connection_id = ${uuidOf(connection)} and c.livemode and c.status = 'authorized'
               and c.capture_before is not null and c.pending_reason is distinct from 'manual_review'
               and not exists (
                 select from operations o
                  where o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
                    and (o.due_at is not null
                         or (o.kind = 'void' and o.status = 'failed' and o.finalized_at > c.capture_before))))::int
         + (select count(*)
              from operations o
              join charges c on c.account_id = o.account_id and c.livemode = o.livemode and c.id = o.charge_id
              join processor_assignments a on a.account_id = c.account_id and a.id = c.assignment_id
             where a.connection_id = ${uuidOf(connection)} and o.livemode and o.due_at is not null)::int as count
  `;
  return row?.count ?? 0;
}
