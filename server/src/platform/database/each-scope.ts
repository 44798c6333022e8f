import { type Fragment, fragment } from "./sql.ts";

/**
 * Returns a query for up to `limit` rows of all merchants. `rows` selects the rows of the account `a.id` and the mode
 * `mode.livemode`. Without the loop over accounts and modes, the statement would scan the whole table, because the
 * table's primary key starts with them.
 */
export function rowsOfEachScope(rows: Fragment, limit: number): Fragment {
  return fragment`
       select old.*
         from accounts a
        cross join (values (true), (false)) as mode (livemode)
        cross join lateral (
          ${rows}
           limit ${limit}
        ) old
        limit ${limit}`;
}
