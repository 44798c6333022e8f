import type { Sql } from "../database/sql.ts";
import {
  alikeColumns,
  firstHourOfProgress,
  firstUuidOf,
  type Hours,
} from "../metrics/metrics.sql.ts";
import type { Alike } from "../metrics/tally.ts";

type Asked = { readonly livemode: boolean; readonly hours: Hours };

export type CountedHour = {
  readonly hour: number;
  readonly currency: string;
  readonly payments: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly captured: number;
};

/** What was counted of all merchants' payments, by the hour and currency. */
export async function readCountedHours(
  read: Sql,
  { livemode, hours }: Asked,
): Promise<CountedHour[]> {
  return read<CountedHour>`
    select hour, currency, sum(payments)::integer as payments, sum(succeeded)::integer as succeeded,
           sum(failed)::integer as failed, sum(captured)::bigint as captured
      from payment_hours
     where livemode = ${livemode} and hour >= ${hours.from} and hour < ${hours.to}
     group by hour, currency
  `;
}

/** How many answers came within each step of latency, the first step being 0. */
export async function readCountedLatencies(
  read: Sql,
  { livemode, hours }: Asked,
): Promise<{ hour: number; step: number; answers: number }[]> {
  return read<{ hour: number; step: number; answers: number }>`
    select h.hour, (l.place - 1)::integer as step, sum(l.answers)::integer as answers
      from payment_hours h
     cross join lateral unnest(h.latencies) with ordinality as l (answers, place)
     where h.livemode = ${livemode} and h.hour >= ${hours.from} and h.hour < ${hours.to}
     group by 1, 2
  `;
}

/** The payments that nobody has counted yet: each merchant's from the hour that is the first of them. */
export async function readUncounted(read: Sql, { livemode, hours }: Asked): Promise<Alike[]> {
  return read<Alike>`
    select ${alikeColumns}
      from (
        select a.id as merchant, greatest(${firstUuidOf(hours.from)}::uuid, ${firstHourOfProgress}) as first
          from accounts a
          left join payment_hours_progress p on p.account_id = a.id and p.livemode = ${livemode}
      ) uncounted
     cross join lateral (
       select id, currency, status, decline_code, capture_method, three_d_secure, checks, settled_at, amount_captured
         from charges
        where account_id = merchant and livemode = ${livemode} and id >= first
     ) payment
     group by 1, 2, 3, 4, 5
  `;
}
