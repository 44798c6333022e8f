import type { Sql } from "../database/sql.ts";
import { firstUuidAt } from "../primitives/ids.ts";

export type FiguresAsked = {
  readonly livemode: boolean;
  readonly by: "hour" | "day";
  readonly from: Date;
};

export type PeriodRow = {
  readonly at: Date;
  readonly charges: number;
  readonly approved: number;
  readonly declined: number;
  readonly undecided: number;
  readonly median_ms: number | null;
  readonly p95_ms: number | null;
};

/**
 * The service's charges since a moment, by the hour or day (UTC). Ids are ordered by time, so for each account a range
 * of its primary key holds just them. How long a person took over 3-D Secure says nothing of us, and is left out.
 */
export async function readPeriods(read: Sql, asked: FiguresAsked): Promise<PeriodRow[]> {
  return read<PeriodRow>`
    select date_trunc(${asked.by}, c.at, 'UTC') as at,
           count(*) as charges,
           count(*) filter (where c.status in ('succeeded', 'authorized', 'canceled')) as approved,
           count(*) filter (where c.status = 'failed') as declined,
           count(*) filter (where c.status in ('processing', 'requires_action')) as undecided,
           percentile_cont(0.5) within group (order by c.ms) as median_ms,
           percentile_cont(0.95) within group (order by c.ms) as p95_ms
      from accounts a
     cross join lateral (
       select status, created_at(id) as at,
              case when three_d_secure is null then extract(epoch from settled_at - created_at(id)) * 1000 end as ms
         from charges
        where account_id = a.id and livemode = ${asked.livemode} and id >= ${firstUuidAt(asked.from)}
     ) c
     group by 1
     order by 1
  `;
}

/** What was taken in each period, by currency. */
export async function readVolumes(
  read: Sql,
  asked: FiguresAsked,
): Promise<{ at: Date; currency: string; amount: number }[]> {
  return read<{ at: Date; currency: string; amount: number }>`
    select date_trunc(${asked.by}, c.at, 'UTC') as at, c.currency, sum(c.amount_captured)::bigint as amount
      from accounts a
     cross join lateral (
       select currency, amount_captured, created_at(id) as at
         from charges
        where account_id = a.id and livemode = ${asked.livemode} and id >= ${firstUuidAt(asked.from)}
          and amount_captured > 0
     ) c
     group by 1, 2
     order by 1, 2
  `;
}
