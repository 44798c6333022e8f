import { type ConnectionUse, maxCountedPayments } from "../../acquiring/connections/connection.ts";
import { type ConnectionId, firstUuidAt, uuidOf } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Florin waits this long after the evidence deadline for the outcome of a dispute, whether or not the merchant has
 * responded. Without a limit, a dispute whose outcome the acquirer never reports would prevent the retirement of its
 * connection forever.
 */
const disputeOutcomeWithinMs = 180 * dayMs;

/** The longest time for which an authorization can be captured. Limits the charges that are read. */
const maxAuthorizationMs = 45 * dayMs;

/**
 * The time for which a notification that is not applied yet prevents the retirement of its connection. Florin retries a
 * notification that fails with an error forever, and no operator can dismiss it, so without a limit its connection
 * could never be retired.
 */
const notificationWithinMs = 30 * dayMs;

type AwaitedUse = Omit<ConnectionUse, "activeAssignments">;

/**
 * Counts the objects of the connection that still need the acquirer. `settlesWithinMs` is the time within which the
 * acquirer pays out a captured payment. Counts the unsettled payments only if nothing else needs the acquirer, because
 * this count reads weeks of charges while the caller holds the lock of the connection.
 */
export async function readAwaited(
  read: Sql,
  connection: ConnectionId,
  { settlesWithinMs, now }: { readonly settlesWithinMs: number; readonly now: Date },
): Promise<AwaitedUse> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const [row] = await read<Pick<AwaitedUse, "openDisputes" | "pendingNotifications">>`
    select (select count(*)
              from processor_assignments a
              join disputes d on d.account_id = a.account_id and d.livemode
              join charges c on c.account_id = d.account_id and c.livemode = d.livemode and c.id = d.charge_id
                            and c.assignment_id = a.id
             where a.connection_id = ${uuidOf(connection)}
               and (d.status in ('needs_response', 'under_review') or d.response_due_at is not null)
               and d.evidence_due_at >= ${before(disputeOutcomeWithinMs)})::int as "openDisputes",
           (select count(*)
              from acquirer_notifications
             where connection_id = ${uuidOf(connection)} and due_at is not null
               and received_at >= ${before(notificationWithinMs)})::int as "pendingNotifications"
  `;
  const unfinishedPayments = await countUnfinishedPayments(read, connection);
  const use = { openDisputes: 0, pendingNotifications: 0, ...row, unfinishedPayments };
  const isAwaited = Object.values(use).some((count) => count > 0);
  const unsettledPayments = isAwaited
    ? 0
    : await countUnsettledPayments(read, connection, {
        capturedAfter: before(settlesWithinMs),
        createdAfter: before(settlesWithinMs + maxAuthorizationMs),
      });
  return { ...use, unsettledPayments };
}

type UnsettledSince = { readonly capturedAfter: Date; readonly createdAfter: Date };

/** Counts the captured payments of the connection that are in no settlement report, up to `maxCountedPayments` + 1. */
async function countUnsettledPayments(
  read: Sql,
  connection: ConnectionId,
  { capturedAfter, createdAfter }: UnsettledSince,
): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::int as count
      from (select
              from processor_assignments a
              join charges c on c.account_id = a.account_id and c.livemode and c.assignment_id = a.id
             where a.connection_id = ${uuidOf(connection)} and c.id >= ${firstUuidAt(createdAfter)}
               and c.status = 'succeeded' and c.finalized_at >= ${capturedAfter}
               and not exists (
                 select from settlement_report_lines l
                  where l.account_id = c.account_id and l.charge_id = c.id and l.releases)
             limit ${maxCountedPayments + 1}) unsettled
  `;
  return row?.count ?? 0;
}

/**
 * Counts the charges and operations of the connection that have not ended, including charges that wait for 3-D Secure
 * and authorized charges. After the retirement, an authorized charge could be neither captured nor canceled. Does not
 * count those in manual review, because an operator decides about them. Counts an authorized charge with a pending
 * operation as the operation only. Does not count an expired authorization whose void the acquirer has declined,
 * because the acquirer has already released it.
 */
async function countUnfinishedPayments(read: Sql, connection: ConnectionId): Promise<number> {
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
                    and (o.status = 'processing'
                         or (o.kind = 'void' and o.status = 'failed' and o.finalized_at > c.capture_before))))::int
         + (select count(*)
              from operations o
              join charges c on c.account_id = o.account_id and c.livemode = o.livemode and c.id = o.charge_id
              join processor_assignments a on a.account_id = c.account_id and a.id = c.assignment_id
             where a.connection_id = ${uuidOf(connection)} and o.livemode and o.due_at is not null)::int as count
  `;
  return row?.count ?? 0;
}
