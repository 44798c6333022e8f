import {
  alikeColumns,
  firstHourOfProgress,
  firstUuidOf,
  type Hours,
} from "../../insights/metrics/metrics.sql.ts";
import type { Alike } from "../../insights/metrics/tally.ts";
import type { Sql } from "../../platform/database/sql.ts";

type HoursFilter = { readonly livemode: boolean; readonly hours: Hours };

export type CountedHour = {
  readonly hour: number;
  readonly currency: string;
  readonly payments: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly captured: number;
};

/** Returns the tallies of all merchants by hour and currency. */
export async function readCountedHours(
  read: Sql,
  { livemode, hours }: HoursFilter,
): Promise<CountedHour[]> {
  return read<CountedHour>`
    select hour, currency, sum(payments)::integer as payments, sum(succeeded)::integer as succeeded,
           sum(failed)::integer as failed, sum(captured)::bigint as captured
      from payment_hours
     where livemode = ${livemode} and hour >= ${hours.from} and hour < ${hours.to}
     group by hour, currency
  `;
}

/** Returns the number of payments of all merchants by hour and latency bucket. Buckets are numbered from 0. */
export async function readCountedLatencies(
  read: Sql,
  { livemode, hours }: HoursFilter,
): Promise<{ hour: number; step: number; responses: number }[]> {
  return read<{ hour: number; step: number; responses: number }>`
    select h.hour, (l.place - 1)::integer as step, sum(l.responses)::integer as responses
      from payment_hours h
     cross join lateral unnest(h.latencies) with ordinality as l (responses, place)
     where h.livemode = ${livemode} and h.hour >= ${hours.from} and h.hour < ${hours.to}
     group by 1, 2
  `;
}

/**
 * Counts the payments that are not in a tally yet. For each merchant, these are all payments since the start of the
 * first uncounted hour.
 */
export async function readUncounted(read: Sql, { livemode, hours }: HoursFilter): Promise<Alike[]> {
  return read<Alike>`
    select ${alikeColumns}
      from (
        select a.id as merchant, greatest(${firstUuidOf(hours.from)}::uuid, ${firstHourOfProgress}) as first
          from accounts a
          left join payment_hours_progress p on p.account_id = a.id and p.livemode = ${livemode}
      ) uncounted
     cross join lateral (
       select id, currency, status, decline_code, capture_method, three_d_secure, checks, finalized_at, amount_captured,
              checkout_session_id
         from charges
        where account_id = merchant and livemode = ${livemode} and id >= first
     ) payment
     group by 1, 2, 3, 4, 5, 6, 7
  `;
}
