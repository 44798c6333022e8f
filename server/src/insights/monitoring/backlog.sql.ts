import type { Sql } from "../../platform/database/sql.ts";
import { unexplained } from "./health.sql.ts";

export type Count = { readonly livemode: boolean; readonly count: number };

/** Counts charges and operations with an unknown outcome, by mode and pending reason. */
export async function countUnknownOutcomes(
  read: Sql,
): Promise<(Count & { readonly reason: string })[]> {
  return read<Count & { reason: string }>`
    select livemode, reason, count(*) as count
      from (select livemode, pending_reason as reason
              from charges
             where ${unexplained} and status = 'processing'
            union all
            select livemode, pending_reason
              from operations
             where ${unexplained}) waiting
     group by livemode, reason
  `;
}

/** Counts webhook endpoints whose latest delivery attempts failed, by mode and status. */
export async function countFailingEndpoints(
  read: Sql,
): Promise<(Count & { readonly status: string })[]> {
  return read<Count & { status: string }>`
    select livemode, status, count(*) as count
      from webhook_endpoints
     where failing_since is not null
     group by livemode, status
  `;
}

/** Counts open differences between the service's ledger and the acquirer's files. */
export async function countOpenDifferences(read: Sql): Promise<Count[]> {
  return read<Count>`
    select livemode, count(*) as count
      from reconciliation_differences
     where status = 'open'
     group by livemode
  `;
}

/** Counts the notifications of live acquirers that need an operator, by their state. */
export async function countUnappliedNotifications(
  read: Sql,
): Promise<{ readonly state: string; readonly count: number }[]> {
  return read<{ state: string; count: number }>`
    select state, count(*)::int as count
      from acquirer_notifications
     where state in ('unmatched', 'review')
     group by state
  `;
}
