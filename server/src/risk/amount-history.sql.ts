import { uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Sql } from "../platform/database/sql.ts";

/** Returns the mean amount of succeeded payments by currency, among the merchant's latest 1,000 payments. */
export async function readMeanAmounts(
  read: Sql,
  scope: Scope,
  fewest: number,
): Promise<Map<string, number>> {
  const rows = await read<{ currency: string; mean: number }>`
    select currency, avg(amount)::float8 as mean
      from (
        select currency, amount, status
          from charges
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         order by id desc
         limit 1000
      ) latest
     where status = 'succeeded'
     group by currency
    having count(*) >= ${fewest}
  `;
  return new Map(rows.map(({ currency, mean }) => [currency, mean]));
}
