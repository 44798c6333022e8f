import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { Attempts } from "./attempts.ts";

type AttemptsRow = { subject: string; failures: number; last_at: Date; next_at: Date };

/**
 * Locks the counts of these subjects, always in the same order to prevent deadlocks. New subjects are inserted first.
 */
export async function lockAttempts(
  tx: Tx,
  subjects: readonly string[],
  now: Date,
): Promise<Map<string, Attempts>> {
  const sorted = [...subjects].sort();
  await tx`
    insert into sign_in_attempts (subject, failures, last_at, next_at)
    select subject, 0, ${now}, ${now} from unnest(${sorted}::text[]) as subject order by subject
    on conflict (subject) do nothing
  `;
  const rows = await tx<AttemptsRow>`
    select subject, failures, last_at, next_at
      from sign_in_attempts
     where subject = any(${sorted}::text[])
     order by subject
       for update
  `;
  return bySubject(rows);
}

function bySubject(rows: readonly AttemptsRow[]): Map<string, Attempts> {
  return new Map(
    rows.map((row) => [
      row.subject,
      { failures: row.failures, lastAt: row.last_at, nextAt: row.next_at },
    ]),
  );
}

/** Returns the counts of these subjects, without a lock. */
export async function readAttempts(
  read: Sql,
  subjects: readonly string[],
): Promise<Map<string, Attempts>> {
  if (subjects.length === 0) return new Map();
  const rows = await read<AttemptsRow>`
    select subject, failures, last_at, next_at from sign_in_attempts where subject = any(${subjects}::text[])
  `;
  return bySubject(rows);
}

export async function updateAttempts(tx: Tx, subject: string, after: Attempts): Promise<void> {
  await tx`
    update sign_in_attempts
       set failures = ${after.failures}, last_at = ${after.lastAt}, next_at = ${after.nextAt}
     where subject = ${subject}
  `;
}

/** Subtracts an attempt that did not fail, and allows the next attempt immediately. */
export async function subtractFailures(
  tx: Tx,
  subjects: readonly string[],
  now: Date,
): Promise<void> {
  await tx`
    update sign_in_attempts
       set failures = greatest(failures - 1, 0), next_at = ${now}
     where subject = any(${[...subjects].sort()}::text[])
  `;
}

export async function resetAttempts(tx: Tx, subject: string): Promise<void> {
  await tx`delete from sign_in_attempts where subject = ${subject}`;
}

export async function deleteOldAttempts(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from sign_in_attempts
     where subject in (select subject from sign_in_attempts where last_at < ${before} limit ${limit})
    returning subject
  `;
  return rows.length;
}
