import { uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { rowsOfEachScope } from "../../platform/database/each-scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type CostFilter, chargeTraits } from "../../reconciliation/settlement-cost.sql.ts";
import { firstUuidOf, type Hours } from "./metrics.sql.ts";

/**
 * Returns the query for the payments created in these hours that an issuer has approved or declined. Only an acquirer's
 * decision sets `checks`. A payment whose capture failed later counts as approved.
 */
function decided(scope: Scope, { from, to }: Hours): Fragment {
  return fragment`
    select floor(extract(epoch from created_at(c.id)) / 3600)::integer as hour, ${chargeTraits},
           case when c.status = 'failed' and c.failure_entry_id is null then c.decline_code end as decline_code,
           count(*)::integer as payments
      from charges c
     where c.account_id = ${uuidOf(scope.account)} and c.livemode = ${scope.livemode}
       and c.id >= ${firstUuidOf(from)} and c.id < ${firstUuidOf(to)}
       and c.checks is not null and c.status in ('authorized', 'succeeded', 'canceled', 'failed')
     group by 1, 2, 3, 4, 5`;
}

/** Counts the payments of these hours again, and replaces the stored counts. */
export async function replaceApprovals(tx: Tx, scope: Scope, hours: Hours): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`
    delete from approval_hours
     where account_id = ${account} and livemode = ${scope.livemode} and hour >= ${hours.from} and hour < ${hours.to}
  `;
  await tx`
    insert into approval_hours (
      account_id, livemode, hour, place, assignment_id, network, country, decline_code, payments
    )
    select ${account}, ${scope.livemode}, hour, row_number() over (partition by hour), assignment_id, network, country,
           decline_code, payments
      from (${decided(scope, hours)}) as counted
  `;
}

export type ApprovalFilter = CostFilter & { readonly declineCode?: string | undefined };

/**
 * The ways in which a response groups payments. A row belongs to one grouping, and the columns of all other groupings
 * are null.
 */
export type Grouping =
  | "day"
  | "connection"
  | "network"
  | "country"
  | "connection_network"
  | "connection_country"
  | "decline_code";

export type ApprovalRow = {
  readonly grouping: Grouping;
  /** The index of the day. */
  readonly day: number | null;
  readonly assignment_id: string | null;
  readonly network: string | null;
  readonly country: string | null;
  readonly decline_code: string | null;
  readonly attempts: number;
  readonly approved: number;
  readonly declined: number;
};

/**
 * Sums the payments of a range in each grouping. Reads the stored counts of the hours before `border`, and the charges
 * of the few later hours. The number of returned rows depends on the numbers of days, connections, networks, countries
 * and decline codes, but not on the number of payments.
 */
export function sumApprovals(
  read: Sql,
  scope: Scope,
  range: Hours & { readonly border: number; readonly starts: readonly number[] },
  { assignment, network, country, declineCode }: ApprovalFilter,
): Promise<readonly ApprovalRow[]> {
  const { from, to, border, starts } = range;
  return read<ApprovalRow>`
    with counted as (
      select hour, assignment_id, network, country, decline_code, payments
        from approval_hours
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         and hour >= ${from} and hour < ${border}
      union all
      select * from (${decided(scope, { from: border, to })}) as latest
    ),
    matching as (
      select width_bucket(hour, ${[...starts]}::integer[]) - 1 as day, assignment_id, network, country, decline_code,
             payments
        from counted
       where true
         ${assignment === undefined ? fragment`` : fragment`and assignment_id is not distinct from ${assignment}::uuid`}
         ${network === undefined ? fragment`` : fragment`and network = ${network}`}
         ${country === undefined ? fragment`` : fragment`and country = ${country}`}
    )
    select case grouping(day, assignment_id, network, country, decline_code)
             when 15 then 'day'
             when 23 then 'connection'
             when 27 then 'network'
             when 29 then 'country'
             when 19 then 'connection_network'
             when 21 then 'connection_country'
             else 'decline_code' end as grouping,
           day, assignment_id, network, country, decline_code,
           sum(payments)::integer as attempts,
           coalesce(sum(payments) filter (where decline_code is null), 0)::integer as approved,
           coalesce(sum(payments) filter (where decline_code is not null
                     ${declineCode === undefined ? fragment`` : fragment`and decline_code = ${declineCode}`}), 0)::integer
             as declined
      from matching
     group by grouping sets (
       (day), (assignment_id), (network), (country), (assignment_id, network), (assignment_id, country), (decline_code)
     )
     order by attempts desc, assignment_id, network, country, decline_code, day
  `;
}

/** Returns the first counted hour of the merchant, or null if none is counted. */
export async function readFirstApprovalHour(read: Sql, scope: Scope): Promise<number | null> {
  const [row] = await read<{ hour: number }>`
    select hour
      from approval_hours
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
     order by hour
     limit 1
  `;
  return row?.hour ?? null;
}

/** Counts are kept for this time, so that a month can be compared with the same month of the previous year. */
export const approvalLifeMs = 400 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` counts of hours before `before`. Returns the number deleted. */
export async function deleteOldApprovals(tx: Tx, before: number, limit: number): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, hour, place
      from approval_hours
     where account_id = a.id and livemode = mode.livemode and hour < ${before}`;
  const rows = await tx`
    delete from approval_hours h
     using (${rowsOfEachScope(oldRows, limit)}) old
     where h.account_id = old.account_id and h.livemode = old.livemode and h.hour = old.hour and h.place = old.place
    returning h.hour
  `;
  return rows.length;
}
