import type { Scope } from "../core/scope.ts";
import { booleans, integers, keysOf, uuids } from "../platform/database/array-parameter.ts";
import type { Sql } from "../platform/database/sql.ts";

/**
 * Returns, for each scope in order, the mean amount of succeeded payments by currency. Considers the merchant's latest
 * 1,000 payments. Omits currencies with fewer than `fewest` succeeded payments among them.
 */
export async function readMeanAmounts(
  read: Sql,
  scopes: readonly Scope[],
  fewest: number,
): Promise<Map<string, number>[]> {
  const requested = keysOf({
    account: uuids(scopes, ({ account }) => account),
    mode: booleans(scopes, ({ livemode }) => livemode),
    place: integers(scopes, (_, index) => index),
  });
  const rows = await read<{ place: number; currency: string; mean: number }>`
    select requested.place, means.currency, means.mean
      from ${requested} as requested
     cross join lateral (
       select currency, avg(amount)::float8 as mean
         from (
           select currency, amount, status
             from charges
            where account_id = requested.account and livemode = requested.mode
            order by id desc
            limit 1000
         ) latest
        where status = 'succeeded'
        group by currency
       having count(*) >= ${fewest}
     ) as means
  `;
  const means = scopes.map(() => new Map<string, number>());
  for (const { place, currency, mean } of rows) means[place]?.set(currency, mean);
  return means;
}
