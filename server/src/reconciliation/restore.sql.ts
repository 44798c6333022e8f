import { dayOf } from "../core/utc-day.ts";
import type { Restore } from "../platform/database/record-restore.ts";
import type { Sql } from "../platform/database/sql.ts";

/** Returns the restores of the database since `since`, newest first. */
export async function listRestores(read: Sql, since: Date): Promise<Restore[]> {
  return read<{ restoredAt: Date; restoredTo: Date }>`
    select restored_at as "restoredAt", restored_to as "restoredTo"
      from restores
     where restored_at >= ${since}
     order by restored_at desc
  `;
}

/**
 * Counts the reconciliations of the days since `restoredTo` that ran after the restore, with and without a usable file.
 * Reads each account separately, because the index on the day starts with the account.
 */
export async function countDaysSinceRestore(
  read: Sql,
  { restoredAt, restoredTo }: Restore,
): Promise<{ readonly compared: number; readonly withoutFile: number }> {
  const [row] = await read<{ compared: number; withoutFile: number }>`
    select coalesce(sum(counted.compared), 0)::int as compared,
           coalesce(sum(counted.without_file), 0)::int as "withoutFile"
      from accounts a
     cross join (values (true), (false)) as mode (livemode)
     cross join lateral (
             select count(*) filter (where r.complete_until is not null) as compared,
                    count(*) filter (where r.complete_until is null) as without_file
               from reconciliations r
              where r.account_id = a.id and r.livemode = mode.livemode and r.checked_at >= ${restoredAt}
                and r.day >= ${dayOf(restoredTo)} and r.day <= ${dayOf(restoredAt)}
           ) counted
  `;
  return row ?? { compared: 0, withoutFile: 0 };
}
