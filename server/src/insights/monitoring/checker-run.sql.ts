import type { CheckerReport } from "@florin/contract/operator.ts";
import { type Id, idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

export type CheckerRunId = Id<"run">;

/**
 * `consistency`: `florin verify`, requested by an operator. `card_data`: the daily search for card data outside the
 * vault.
 */
export type CheckerRunKind = "consistency" | "card_data";

export type StoredRun = {
  readonly id: CheckerRunId;
  /** Null for a scheduled run. */
  readonly requestedBy: PersonId | null;
  readonly leasedUntil: Date | null;
  readonly endedAt: Date | null;
  readonly report: CheckerReport | null;
  readonly error: string | null;
};

/**
 * A run that this process has leased. The end of the lease is also the fencing token, because each renewal and each
 * takeover changes it.
 */
export type LeasedRun = { readonly id: CheckerRunId; readonly leasedUntil: Date };

/** Inserts a requested consistency run unless one is open. Returns whether it was inserted. */
export async function insertRun(tx: Tx, id: CheckerRunId, requestedBy: PersonId): Promise<boolean> {
  const rows = await tx`
    insert into checker_runs (id, kind, requested_by)
    select ${uuidOf(id)}, 'consistency', ${uuidOf(requestedBy)}
     where not exists (select 1 from checker_runs where kind = 'consistency' and ended_at is null)
    returning id
  `;
  return rows.length === 1;
}

/**
 * Inserts the card data search of a day. Does nothing if a process has already inserted it, or if the search of an
 * earlier day is still open.
 */
export async function insertDailySearch(tx: Tx, id: CheckerRunId, day: string): Promise<void> {
  await tx`
    insert into checker_runs (id, kind, day)
    select ${uuidOf(id)}, 'card_data', ${day}::date
     where not exists (select 1 from checker_runs where kind = 'card_data' and ended_at is null)
        on conflict on constraint checker_runs_one_per_day do nothing
  `;
}

/** Leases the oldest open run that no process holds. Returns null if there is none. */
export async function claimRun(
  tx: Tx,
  kind: CheckerRunKind,
  now: Date,
  until: Date,
): Promise<LeasedRun | null> {
  const [row] = await tx<{ id: string }>`
    update checker_runs
       set leased_until = ${until}
     where id = (select id
                   from checker_runs
                  where kind = ${kind} and ended_at is null and (leased_until is null or leased_until < ${now})
                  order by id
                  limit 1)
       and ended_at is null and (leased_until is null or leased_until < ${now})
    returning id
  `;
  return row ? { id: idFromUuid("run", row.id), leasedUntil: until } : null;
}

/**
 * Moves the end of a lease to `until`, or releases the lease if `until` is null. Returns false if the lease was taken
 * over.
 */
export async function renewRun(
  tx: Tx,
  { id, leasedUntil }: LeasedRun,
  until: Date | null,
): Promise<boolean> {
  const rows = await tx`
    update checker_runs
       set leased_until = ${until}
     where id = ${uuidOf(id)} and leased_until = ${leasedUntil} and ended_at is null
    returning id
  `;
  return rows.length === 1;
}

/** Records the outcome. Returns false and records nothing if the lease was taken over. */
export async function endRun(
  tx: Tx,
  { id, leasedUntil }: LeasedRun,
  outcome: { readonly report: CheckerReport | null; readonly error: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update checker_runs
       set ended_at = ${now}, report = ${outcome.report && JSON.stringify(outcome.report)}, error = ${outcome.error}
     where id = ${uuidOf(id)} and leased_until = ${leasedUntil} and ended_at is null
    returning id
  `;
  return rows.length === 1;
}

/** Returns the latest runs of a kind, newest first. */
export async function listRuns(
  read: Sql,
  kind: CheckerRunKind,
  limit: number,
): Promise<StoredRun[]> {
  const rows = await read<{
    id: string;
    requested_by: string | null;
    leased_until: Date | null;
    ended_at: Date | null;
    report: CheckerReport | null;
    error: string | null;
  }>`
    select id, requested_by, leased_until, ended_at, report, error
      from checker_runs
     where kind = ${kind}
     order by id desc
     limit ${limit}
  `;
  return rows.map((row) => ({
    id: idFromUuid("run", row.id),
    requestedBy: row.requested_by === null ? null : idFromUuid("per", row.requested_by),
    leasedUntil: row.leased_until,
    endedAt: row.ended_at,
    report: row.report,
    error: row.error,
  }));
}

export type LastReport = {
  readonly kind: CheckerRunKind;
  readonly endedAt: Date;
  readonly report: CheckerReport;
};

/** Returns the newest report of each kind of run. A failed run has no report. */
export function readLastReports(read: Sql): Promise<LastReport[]> {
  return read<LastReport>`
    select distinct on (kind) kind, ended_at as "endedAt", report
      from checker_runs
     where report is not null
     order by kind, ended_at desc
  `;
}

/** The time for which reports are kept. A PCI DSS assessment covers a year. */
export const checkerRunLifeMs = 400 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` ended runs with an ID below `before`. Returns the number deleted. */
export async function deleteOldRuns(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from checker_runs
     where id in (
       select id from checker_runs where id < ${before} and ended_at is not null order by id limit ${limit}
     )
    returning id
  `;
  return rows.length;
}
