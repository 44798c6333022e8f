import { firstUuidAt, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { column } from "../../platform/database/array-literal.ts";
import {
  bigints,
  integers,
  jsons,
  rowsOf,
  texts,
  timestamps,
} from "../../platform/database/array-parameter.ts";
import { rowsOfEachScope } from "../../platform/database/each-scope.ts";
import type { RowText } from "../../platform/database/row-text.ts";
import { fragment, type RowSql, type Sql, type Tx } from "../../platform/database/sql.ts";
import {
  type Alike,
  type HourTally,
  hourMs,
  latencySteps,
  type Reversals,
  type SessionTally,
  tallyHours,
} from "./tally.ts";

/** A range of hours since 1970, `to` exclusive. */
export type Hours = { readonly from: number; readonly to: number };

/** The columns of `Alike`, for a query on `charges` that groups by the first seven columns. */
export const alikeColumns = fragment`
  floor(extract(epoch from created_at(id)) / 3600)::integer as hour, currency, status, decline_code,
  -- Excludes payments that wait for a cardholder or for a manual capture, and payments under a test clock.
  case when status in ('succeeded', 'failed') and capture_method = 'automatic' and three_d_secure is null
        and checks is not null and finalized_at >= created_at(id)
       then width_bucket((extract(epoch from finalized_at - created_at(id)) * 1000)::double precision,
                         ${latencySteps}::double precision[]) end as step,
  checkout_session_id is not null as in_session, three_d_secure is not null as authenticated,
  count(*)::integer as payments, sum(amount_captured)::bigint as captured`;

/** Counts the charges created in these hours, in their present state. */
export async function measureHours(
  read: Sql,
  scope: Scope,
  { from, to }: Hours,
): Promise<HourTally[]> {
  const groups = await read<Alike>`
    select ${alikeColumns}
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id >= ${firstUuidOf(from)} and id < ${firstUuidOf(to)}
     group by 1, 2, 3, 4, 5, 6, 7
  `;
  const sessions = await read<SessionTally>`
    select floor(extract(epoch from created_at(id)) / 3600)::integer as hour, currency,
           count(*)::integer as sessions, (count(*) filter (where attempts > 0))::integer as attempted
      from checkout_sessions
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id >= ${firstUuidOf(from)} and id < ${firstUuidOf(to)} and mode = 'payment'
     group by 1, 2
  `;
  return tallyHours(groups, sessions);
}

/** Returns the hour of the merchant's first checkout session, or `otherwise` if there is none. */
export async function readFirstSessionHour(
  tx: Tx,
  scope: Scope,
  otherwise: number,
): Promise<number> {
  const [row] = await tx<{ hour: number }>`
    select floor(extract(epoch from created_at(id)) / 3600)::integer as hour
      from checkout_sessions
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
     order by id
     limit 1
  `;
  return row?.hour ?? otherwise;
}

/**
 * Counts the payments created in these hours that were refunded or disputed. Reads the payments instead of a tally,
 * because a refund or a dispute can follow months after the payment. Partial indexes contain only these payments.
 */
export async function countReversals(
  read: Sql,
  scope: Scope,
  { from, to }: Hours,
  currency: Currency | undefined,
): Promise<Reversals> {
  const created = fragment`
    account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
      and id >= ${firstUuidOf(from)} and id < ${firstUuidOf(to)}
      ${currency ? fragment`and currency = ${currency}` : fragment``}`;
  const [row] = await read<Reversals>`
    select ((select count(*) from charges where ${created} and amount_refunded > 0 and amount_disputed = 0)
             + coalesce(sum(archived_refunded), 0))::integer as refunded,
           ((select count(*) from charges where ${created} and amount_disputed > 0)
             + coalesce(sum(archived_disputed), 0))::integer as disputed
      from payment_hours
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and hour >= ${from} and hour < ${to}
       ${currency ? fragment`and currency = ${currency}` : fragment``}
  `;
  return row as Reversals;
}

export function firstUuidOf(hour: number): string {
  return firstUuidAt(new Date(hour * hourMs));
}

/** Returns the stored tallies of these hours. */
export function readHours(
  readRows: RowSql,
  scope: Scope,
  { from, to }: Hours,
): Promise<HourTally[]> {
  return readRows(toTally)`
    select hour, currency, payments, succeeded, failed, captured, declines, latencies, in_session, authenticated,
           authenticated_approved, authenticated_failed, captures, sessions, attempted
      from payment_hours
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and hour >= ${from} and hour < ${to}
  `;
}

/**
 * Converts a row of `readHours` to a tally. Reads the row as text, because a chart of ninety days has thousands of rows
 * and the driver's own decoding is slower.
 */
function toTally(row: RowText): HourTally {
  const declines = row.ascii(6);
  return {
    hour: row.integer(0),
    currency: row.ascii(1),
    payments: row.integer(2),
    succeeded: row.integer(3),
    failed: row.integer(4),
    capturedMinor: row.integer(5),
    declines: declines === "{}" ? noDeclines : (JSON.parse(declines) as HourTally["declines"]),
    // Postgres writes an array of numbers as `{1,2}`.
    latencies: row.ascii(7).slice(1, -1).split(",").map(Number),
    steps: {
      inSession: row.integer(8),
      authenticated: row.integer(9),
      authenticatedApproved: row.integer(10),
      authenticatedFailed: row.integer(11),
      captures: row.integer(12),
      sessions: row.integer(13),
      attempted: row.integer(14),
    },
    open: 0,
  };
}

const noDeclines: HourTally["declines"] = {};

/** Replaces the stored tallies of these hours. */
export async function replaceHours(
  tx: Tx,
  scope: Scope,
  { from, to }: Hours,
  tallies: readonly (HourTally & { readonly recountAt: Date | null })[],
): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`
    delete from payment_hours
     where account_id = ${account} and livemode = ${scope.livemode} and hour >= ${from} and hour < ${to}
  `;
  const counted = rowsOf({
    hour: integers(tallies, ({ hour }) => hour),
    currency: texts(tallies, ({ currency }) => currency),
    payments: integers(tallies, ({ payments }) => payments),
    succeeded: integers(tallies, ({ succeeded }) => succeeded),
    failed: integers(tallies, ({ failed }) => failed),
    captured: bigints(tallies, ({ capturedMinor }) => capturedMinor),
    declines: jsons(tallies, ({ declines }) => declines),
    in_session: integers(tallies, ({ steps }) => steps.inSession),
    authenticated: integers(tallies, ({ steps }) => steps.authenticated),
    authenticated_approved: integers(tallies, ({ steps }) => steps.authenticatedApproved),
    authenticated_failed: integers(tallies, ({ steps }) => steps.authenticatedFailed),
    captures: integers(tallies, ({ steps }) => steps.captures),
    sessions: integers(tallies, ({ steps }) => steps.sessions),
    attempted: integers(tallies, ({ steps }) => steps.attempted),
    latencies: texts(tallies, ({ latencies }) => column(latencies, String)),
    recount_at: timestamps(tallies, ({ recountAt }) => recountAt),
  });
  await tx`
    insert into payment_hours (
      account_id, livemode, hour, currency, payments, succeeded, failed, captured, declines, latencies, recount_at,
      in_session, authenticated, authenticated_approved, authenticated_failed, captures, sessions, attempted
    )
    select ${account}, ${scope.livemode}, hour, currency, payments, succeeded, failed, captured, declines,
           latencies::integer[], recount_at, in_session, authenticated, authenticated_approved, authenticated_failed,
           captures, sessions, attempted
      from ${counted} as tally
  `;
}

/** Returns the hour up to which the merchant's payments are counted, or 0 before the first count. */
export async function readMeasuredTo(read: Sql, scope: Scope): Promise<number> {
  const [row] = await read<{ measured_to: number }>`
    select measured_to
      from payment_hours_progress
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.measured_to ?? 0;
}

/**
 * Locks the row so that only one worker advances the tally of a merchant. Returns the hour up to which payments are
 * counted.
 */
export async function lockMeasuredTo(tx: Tx, scope: Scope): Promise<number> {
  const [row] = await tx<{ measured_to: number }>`
    insert into payment_hours_progress (account_id, livemode, measured_to)
    values (${uuidOf(scope.account)}, ${scope.livemode}, 0)
        on conflict (account_id, livemode) do update set measured_to = payment_hours_progress.measured_to
    returning measured_to
  `;
  return row?.measured_to ?? 0;
}

export async function updateMeasuredTo(tx: Tx, scope: Scope, hour: number): Promise<void> {
  await tx`
    update payment_hours_progress
       set measured_to = ${hour}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
}

/**
 * Lists the merchants that have uncounted payments from before this hour, each with the hour of its first uncounted
 * payment.
 */
export async function listUnmeasured(
  read: Sql,
  before: number,
): Promise<{ scope: Scope; hour: number }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; hour: number }>`
    select a.id as account_id, m.livemode, floor(extract(epoch from created_at(c.id)) / 3600)::integer as hour
      from accounts a
     cross join (values (false), (true)) as m (livemode)
      left join payment_hours_progress p on p.account_id = a.id and p.livemode = m.livemode
     cross join lateral (
       select c.id
         from charges c
        where c.account_id = a.id and c.livemode = m.livemode
          and c.id >= ${firstHourOfProgress} and c.id < ${firstUuidOf(before)}
        order by c.id
        limit 1
     ) c
  `;
  return rows.map(({ account_id, livemode, hour }) => ({
    scope: { account: idFromUuid("acct", account_id), livemode },
    hour,
  }));
}

/**
 * Returns whether payments of this hour may be archived. If so, keeps the stored count of the hour, because a new count
 * would omit the archived payments.
 */
export async function keepArchivedHour(tx: Tx, scope: Scope, hour: number): Promise<boolean> {
  const account = uuidOf(scope.account);
  const rows = await tx`
    select from archive_horizons
     where account_id = ${account} and livemode = ${scope.livemode} and before > to_timestamp(${hour}::bigint * 3600)
  `;
  if (rows.length === 0) return false;
  await tx`
    update payment_hours
       set recount_at = null
     where account_id = ${account} and livemode = ${scope.livemode} and hour = ${hour}
  `;
  return true;
}

/** The smallest UUID of the first uncounted hour. The first 48 bits are milliseconds. */
export const firstHourOfProgress = fragment`
  (lpad(to_hex(coalesce(p.measured_to, 0)::bigint * 3600000), 12, '0') || repeat('0', 20))::uuid`;

/** Lists hours that are due to be counted again. */
export async function listHoursToRecount(
  read: Sql,
  now: Date,
  limit: number,
): Promise<{ scope: Scope; hour: number }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; hour: number }>`
    select account_id, livemode, hour
      from payment_hours
     where recount_at <= ${now}
     order by recount_at
     limit ${limit}
  `;
  return rows.map(({ account_id, livemode, hour }) => ({
    scope: { account: idFromUuid("acct", account_id), livemode },
    hour,
  }));
}

/** The time for which the tallies of an hour are kept. */
export const paymentHourLifeMs = 5 * 366 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` tallies of hours before `before`. Returns the number deleted. */
export async function deleteOldHours(tx: Tx, before: number, limit: number): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, hour, currency
      from payment_hours
     where account_id = a.id and livemode = mode.livemode and hour < ${before}`;
  const rows = await tx`
    delete from payment_hours h
     using (${rowsOfEachScope(oldRows, limit)}) old
     where h.account_id = old.account_id and h.livemode = old.livemode and h.hour = old.hour
       and h.currency = old.currency
    returning h.hour
  `;
  return rows.length;
}
