import type { Sql } from "../database/sql.ts";
import { unexplained } from "../operator/health.sql.ts";

export type Count = { readonly livemode: boolean; readonly count: number };

/** Charges and operations that no answer has explained yet, by what they wait for. */
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

/** Webhook endpoints at which nothing arrives, and those that were switched off for it. */
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

/** Open differences between our books and the acquirer's. */
export async function countOpenDifferences(read: Sql): Promise<Count[]> {
  return read<Count>`
    select livemode, count(*) as count
      from reconciliation_differences
     where status = 'open'
     group by livemode
  `;
}
