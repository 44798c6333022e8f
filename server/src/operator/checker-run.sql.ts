import type { CheckerReport } from "@florin/contract/operator.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type Id, idFromUuid, type PersonId, uuidOf } from "../primitives/ids.ts";

export type CheckerRunId = Id<"run">;

export type StoredRun = {
  readonly id: CheckerRunId;
  readonly askedBy: PersonId;
  readonly leasedUntil: Date | null;
  readonly endedAt: Date | null;
  readonly report: CheckerReport | null;
  readonly error: string | null;
};

/** Asks for a run, unless one is waited for already; answers whether it is a new one. */
export async function insertRun(tx: Tx, id: CheckerRunId, askedBy: PersonId): Promise<boolean> {
  const rows = await tx`
    insert into checker_runs (id, asked_by)
    select ${uuidOf(id)}, ${uuidOf(askedBy)}
     where not exists (select 1 from checker_runs where ended_at is null)
    returning id
  `;
  return rows.length === 1;
}

/** Takes a run that nobody works on, until the lease's end; null: there is none. */
export async function claimRun(tx: Tx, now: Date, until: Date): Promise<CheckerRunId | null> {
  const [row] = await tx<{ id: string }>`
    update checker_runs
       set leased_until = ${until}
     where id = (select id
                   from checker_runs
                  where ended_at is null and (leased_until is null or leased_until < ${now})
                  order by id
                  limit 1)
       and ended_at is null and (leased_until is null or leased_until < ${now})
    returning id
  `;
  return row ? idFromUuid("run", row.id) : null;
}

/** Keeps what came of it, if the lease is still ours: it is the fence against a server that woke up late. */
export async function endRun(
  tx: Tx,
  id: CheckerRunId,
  leasedUntil: Date,
  outcome: { readonly report: CheckerReport | null; readonly error: string | null },
  now: Date,
): Promise<void> {
  await tx`
    update checker_runs
       set ended_at = ${now}, report = ${outcome.report && JSON.stringify(outcome.report)}, error = ${outcome.error}
     where id = ${uuidOf(id)} and leased_until = ${leasedUntil} and ended_at is null
  `;
}

export async function listRuns(read: Sql): Promise<StoredRun[]> {
  const rows = await read<{
    id: string;
    asked_by: string;
    leased_until: Date | null;
    ended_at: Date | null;
    report: CheckerReport | null;
    error: string | null;
  }>`
    select id, asked_by, leased_until, ended_at, report, error
      from checker_runs
     order by id desc
     limit 20
  `;
  return rows.map((row) => ({
    id: idFromUuid("run", row.id),
    askedBy: idFromUuid("per", row.asked_by),
    leasedUntil: row.leased_until,
    endedAt: row.ended_at,
    report: row.report,
    error: row.error,
  }));
}
