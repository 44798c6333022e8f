import type { Restore } from "../platform/database/record-restore.ts";
import type { Sql } from "../platform/database/sql.ts";
import { dayOf } from "./day.ts";

/** Returns the restores of the database since `since`, newest first. */
export async function listRestores(read: Sql, since: Date): Promise<Restore[]> {
  return read<{ restoredAt: Date; restoredTo: Date }>`
    select restored_at as "restoredAt", restored_to as "restoredTo"
      from restores
     where restored_at >= ${since}
     order by restored_at desc
  `;
}

/** Counts the merchants' days since the moment that were reconciled after the restore, with and without a usable file. */
export async function countDaysSinceRestore(
  read: Sql,
  { restoredAt, restoredTo }: Restore,
): Promise<{ readonly compared: number; readonly withoutFile: number }> {
  const [row] = await read<{ compared: number; withoutFile: number }>`
    select count(*) filter (where complete_until is not null)::int as compared,
           count(*) filter (where complete_until is null)::int as "withoutFile"
      from reconciliations
     where day >= ${dayOf(restoredTo)} and day <= ${dayOf(restoredAt)} and checked_at >= ${restoredAt}
  `;
  return row ?? { compared: 0, withoutFile: 0 };
}
