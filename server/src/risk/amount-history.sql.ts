import type { Scope } from "../core/scope.ts";
import { booleans, integers, keysOf, uuids } from "../platform/database/array-parameter.ts";
import type { Sql } from "../platform/database/sql.ts";

/** The mean amounts of a merchant's latest payments, by currency. */
type MeanAmounts = {
  readonly means: Map<string, number>;
  /** The number of payments that were read, or 0 if there are no means. */
  readonly payments: number;
};

/**
 * Returns, for each scope in order, the mean amount of succeeded payments by currency. Reads the merchant's latest
 * payments, at most `latest`. Omits a currency if fewer than `fewest` of these payments succeeded in it.
 */
export async function readMeanAmounts(
  read: Sql,
  scopes: readonly Scope[],
  { fewest, latest }: { readonly fewest: number; readonly latest: number },
): Promise<MeanAmounts[]> {
  const requested = keysOf({
    account: uuids(scopes, ({ account }) => account),
    mode: booleans(scopes, ({ livemode }) => livemode),
    place: integers(scopes, (_, index) => index),
  });
  const rows = await read<{ place: number; currency: string; mean: number; payments: number }>`
    select requested.place, means.currency, means.mean, means.payments
      from ${requested} as requested
     cross join lateral (
       select currency, avg(amount) filter (where status = 'succeeded')::float8 as mean,
              count(*) filter (where status = 'succeeded') as succeeded, (sum(count(*)) over ())::integer as payments
         from (
           select currency, amount, status
             from charges
            where account_id = requested.account and livemode = requested.mode
            order by id desc
            limit ${latest}
         ) latest
        group by currency
     ) as means
     where means.succeeded >= ${fewest}
  `;
  const found = scopes.map(() => ({ means: new Map<string, number>(), payments: 0 }));
  for (const { place, currency, mean, payments } of rows) {
    const one = found[place];
    if (!one) continue;
    one.means.set(currency, mean);
    one.payments = payments;
  }
  return found;
}
