import type { Clock } from "../../core/clock.ts";
import { type Id, idFromUuid } from "../../core/ids.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import { segmentNumber } from "../../platform/database/wal-segment.ts";
import { partitionedTables } from "../../platform/partitions/partition.sql.ts";
import { weeksFrom } from "../../platform/partitions/partitions.ts";
import { weekMs } from "../../platform/partitions/week.ts";

/** The size of a queue, how much of it is overdue, and the oldest overdue time. */
export type Queue = {
  readonly name: string;
  readonly waiting: number;
  readonly overdue: number;
  readonly oldest: Date | null;
};

/**
 * Returns every queue. Each is read through its partial index of due rows, so the cost depends only on the length of
 * the queue. Leaves out emails if no mail server is configured, because they stay in the queue for the demo inbox. A
 * delivery to an endpoint with an open circuit breaker is due when the backoff of the circuit breaker ends.
 */
export async function readQueues(
  read: Sql,
  now: Date,
  { sendsMail }: { readonly sendsMail: boolean },
): Promise<Queue[]> {
  const partitions = nextPartitions(now);
  const queues = await read<Queue>`
    select 'charges' as name, ${counts(now)}
      from charges where status in ('processing', 'requires_action') and due_at is not null
    union all
    select 'operations' as name, ${counts(now)}
      from operations where status = 'processing' and due_at is not null
    union all
    select 'authentications' as name, ${counts(now)} from authentications where due_at is not null
    union all
    select 'card_verifications' as name, ${counts(now)} from card_verifications where due_at is not null
    union all
    select 'disputes' as name, ${counts(now)} from disputes where due_at is not null
    union all
    select 'card_erasure' as name, count(*) as waiting, count(*) filter (where due) as overdue,
           min(expires_at) filter (where due) as oldest
      from (select expires_at, expires_at <= ${now}::timestamptz as due
              from checkout_sessions
             where card_count > 0 and status in ('complete', 'expired', 'canceled', 'failed')) ended
    union all
    select 'payouts' as name, ${counts(now)} from payouts where due_at is not null
    union all
    select 'acquirer_notifications' as name, ${counts(now)}
      from acquirer_notifications where due_at is not null
    union all
    select 'settlement_reports' as name, ${counts(now)}
      from settlement_reports where applied_at is null and problem is null
    union all
    select 'mail' as name, ${counts(now)} from mails where due_at is not null
    union all
    select 'partitions' as name, ${counts(now)}
      from unnest(${partitions.map(({ name }) => name)}::text[],
                  ${partitions.map(({ dueAt }) => dueAt)}::timestamptz[]) as next (name, due_at)
     where to_regclass(name) is null
    union all
    select 'deliveries' as name, ${counts(now)}
      from (select greatest(d.next_attempt_at, w.backoff_until) as due_at
              from webhook_deliveries d
              left join webhook_endpoints w
                on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
             where d.status = 'pending') d
  `;
  return queues.filter(({ name }) => name !== "mail" || sendsMail);
}

/**
 * Returns the partitions of the next weeks, each with the time after which its creation is overdue. This time is two
 * weeks before the week begins. The job creates partitions four weeks ahead, so by then it has failed for two weeks.
 */
function nextPartitions(now: Date): { readonly name: string; readonly dueAt: Date }[] {
  return weeksFrom(now)
    .filter(({ begins }) => begins > now)
    .flatMap((week) =>
      partitionedTables.map((table) => ({
        name: `${table}_${week.name}`,
        dueAt: new Date(week.begins.getTime() - 2 * weekMs),
      })),
    );
}

const counts = (now: Date) =>
  fragment`count(*) as waiting, count(*) filter (where due_at <= ${now}::timestamptz) as overdue,
           min(due_at) filter (where due_at <= ${now}::timestamptz) as oldest`;

/**
 * Matches charges and operations with an unknown outcome. The first line is the condition of their partial indexes, so
 * that Postgres uses these indexes.
 */
export const unexplained = fragment`(due_at is not null or pending_reason = 'manual_review')
       and pending_reason in ('outcome_unknown', 'manual_review')`;

export type Unknown = {
  readonly account: Id<"acct">;
  readonly livemode: boolean;
  readonly id: Id<"ch" | "op">;
  readonly reason: string;
  readonly reversal_pending: boolean;
  readonly amount: number;
  readonly currency: string;
};

/** Returns charges and operations with an unknown outcome, oldest first. */
export async function readUnknownOutcomes(read: Sql): Promise<Unknown[]> {
  const rows = await read<{
    prefix: "ch" | "op";
    account_id: string;
    livemode: boolean;
    id: string;
    reason: string;
    reversal_pending: boolean;
    amount: number;
    currency: string;
  }>`
    select 'ch' as prefix, account_id, livemode, id, pending_reason as reason, reversal_pending, amount, currency
      from charges
     where ${unexplained} and status = 'processing'
    union all
    select 'op' as prefix, account_id, livemode, id, pending_reason as reason, false as reversal_pending, amount,
           currency
      from operations
     where ${unexplained}
     order by id
     limit 100
  `;
  return rows.map(({ prefix, account_id, id, ...row }) => ({
    ...row,
    account: idFromUuid("acct", account_id),
    id: idFromUuid(prefix, id),
  }));
}

/** Returns charges and operations whose inquiries ended without a result, oldest first. */
export async function listGivenUp(
  read: Sql,
  limit: number,
): Promise<Pick<Unknown, "account" | "livemode" | "id">[]> {
  const rows = await read<{
    prefix: "ch" | "op";
    account_id: string;
    livemode: boolean;
    id: string;
  }>`
    select 'ch' as prefix, account_id, livemode, id
      from charges where pending_reason = 'manual_review' and status = 'processing'
    union all
    select 'op' as prefix, account_id, livemode, id
      from operations where pending_reason = 'manual_review'
     order by id
     limit ${limit}
  `;
  return rows.map(({ prefix, account_id, livemode, id }) => ({
    livemode,
    account: idFromUuid("acct", account_id),
    id: idFromUuid(prefix, id),
  }));
}

export type Failing = {
  readonly account: Id<"acct">;
  readonly livemode: boolean;
  readonly id: Id<"we">;
  readonly url: string;
  readonly status: string;
  readonly failingSince: Date | null;
  readonly failures: number;
};

/** Returns webhook endpoints whose latest delivery attempts failed, longest failing first. */
export async function readFailingEndpoints(read: Sql): Promise<Failing[]> {
  const rows = await read<{
    account_id: string;
    livemode: boolean;
    id: string;
    url: string;
    status: string;
    failing_since: Date | null;
    failures: number;
  }>`
    select account_id, livemode, id, url, status, failing_since, failures
      from webhook_endpoints
     where failing_since is not null
     order by failing_since
     limit 100
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.account_id),
    livemode: row.livemode,
    id: idFromUuid("we", row.id),
    url: row.url,
    status: row.status,
    failingSince: row.failing_since,
    failures: row.failures,
  }));
}

/** Counts the open differences between the service's ledger and the acquirer's files for each merchant and mode. */
export async function readOpenDifferences(
  read: Sql,
): Promise<{ account: Id<"acct">; livemode: boolean; count: number }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; count: number }>`
    select account_id, livemode, count(*) as count
      from reconciliation_differences
     where status = 'open'
     group by account_id, livemode
     order by count(*) desc
     limit 100
  `;
  return rows.map(({ account_id, ...row }) => ({
    ...row,
    account: idFromUuid("acct", account_id),
  }));
}

export async function readProcesses(read: Sql): Promise<{ number: number; seenAt: Date }[]> {
  return read<{ number: number; seenAt: Date }>`
    select number, seen_at as "seenAt" from processes order by number
  `;
}

/**
 * Returns by how much the clock is ahead of Postgres's, in milliseconds, or a negative number if it is behind. The result
 * is accurate to half the duration of the query.
 */
export async function readClockOffset(read: Sql, clock: Clock): Promise<number> {
  const before = clock.now().getTime();
  const [row] = await read<{ now: Date }>`select clock_timestamp() as now`;
  const after = clock.now().getTime();
  return (before + after) / 2 - (row as { now: Date }).now.getTime();
}

export async function readDatabaseSize(
  read: Sql,
): Promise<{ sizeBytes: number; connections: number }> {
  const [row] = await read<{ sizeBytes: number; connections: number }>`
    select pg_database_size(current_database()) as "sizeBytes",
           (select count(*) from pg_stat_activity where datname = current_database()) as connections
  `;
  return row as { sizeBytes: number; connections: number };
}

/**
 * Returns the state of the archive of the write-ahead log, or null if the log is not archived. `pendingSegments` counts
 * the segments that were filled since the last archived one.
 */
export async function readWalArchive(
  read: Sql,
): Promise<{ failing: boolean; pendingSegments: number } | null> {
  const [row] = await read<{
    failing: boolean;
    archived: string | null;
    current: string;
  }>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing,
           last_archived_wal as archived,
           pg_walfile_name(pg_current_wal_lsn()) as current
      from pg_stat_archiver
     where current_setting('archive_mode') <> 'off' and not pg_is_in_recovery()
  `;
  if (!row) return null;
  const { failing, archived, current } = row;
  const pending = archived === null ? 0 : segmentNumber(current) - segmentNumber(archived) - 1;
  return { failing, pendingSegments: Math.max(0, pending) };
}

/** Returns the time at which the first certificate of an enabled wallet expires, for each purpose of the keys. */
export async function readCertificateExpiries(
  read: Sql,
): Promise<{ purpose: string; expiresAt: Date }[]> {
  const rows = await read<{ purpose: string; expires_at: Date }>`
    select k.purpose, min(k.certificate_expires_at) as expires_at
      from wallet_keys k
      join wallet_configurations c on c.account_id = k.account_id and c.wallet = k.wallet
     where k.status = 'current' and k.certificate_expires_at is not null and c.status = 'enabled'
     group by k.purpose
  `;
  return rows.map(({ purpose, expires_at: expiresAt }) => ({ purpose, expiresAt }));
}
