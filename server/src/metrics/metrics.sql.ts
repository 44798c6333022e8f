import { column } from "../database/array-literal.ts";
import {
  bigints,
  integers,
  jsons,
  rowsOf,
  texts,
  timestamps,
} from "../database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { firstUuidAt, idFromUuid, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { type Alike, type HourTally, hourMs, latencySteps, tallyHours } from "./tally.ts";

/** Hours since 1970, from the first to before the last. */
export type Hours = { readonly from: number; readonly to: number };

/** What payments are counted by, from `charges`: the columns of `Alike`, to be grouped by the first five. */
export const alikeColumns = fragment`
  floor(extract(epoch from created_at(id)) / 3600)::integer as hour, currency, status, decline_code,
  -- A cardholder who is asked, or a merchant who captures, takes a time of their own; and a test clock any.
  case when status in ('succeeded', 'failed') and capture_method = 'automatic' and three_d_secure is null
        and checks is not null and settled_at >= created_at(id)
       then width_bucket((extract(epoch from settled_at - created_at(id)) * 1000)::double precision,
                         ${latencySteps}::double precision[]) end as step,
  count(*)::integer as payments, sum(amount_captured)::bigint as captured`;

/** Counts the payments that were begun in these hours, as they stand. */
export async function measureHours(
  read: Sql,
  owner: Owner,
  { from, to }: Hours,
): Promise<HourTally[]> {
  const groups = await read<Alike>`
    select ${alikeColumns}
      from charges
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and id >= ${firstUuidOf(from)} and id < ${firstUuidOf(to)}
     group by 1, 2, 3, 4, 5
  `;
  return tallyHours(groups);
}

export function firstUuidOf(hour: number): string {
  return firstUuidAt(new Date(hour * hourMs));
}

type HourRow = Omit<HourTally, "capturedMinor" | "open"> & { captured: number };

/** What was counted of these hours before. */
export async function readHours(
  read: Sql,
  owner: Owner,
  { from, to }: Hours,
): Promise<HourTally[]> {
  // As JSON, for which there is a parser that is quick with thousands of them.
  const rows = await read<HourRow>`
    select hour, currency, payments, succeeded, failed, captured, declines, to_jsonb(latencies) as latencies
      from payment_hours
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and hour >= ${from} and hour < ${to}
  `;
  return rows.map(({ captured, ...rest }) => ({ ...rest, capturedMinor: captured, open: 0 }));
}

/** Puts what is counted now in the place of what was counted of these hours before. */
export async function replaceHours(
  tx: Tx,
  owner: Owner,
  { from, to }: Hours,
  tallies: readonly (HourTally & { readonly lookAgainAt: Date | null })[],
): Promise<void> {
  const account = uuidOf(owner.account);
  await tx`
    delete from payment_hours
     where account_id = ${account} and livemode = ${owner.livemode} and hour >= ${from} and hour < ${to}
  `;
  const counted = rowsOf({
    hour: integers(tallies, ({ hour }) => hour),
    currency: texts(tallies, ({ currency }) => currency),
    payments: integers(tallies, ({ payments }) => payments),
    succeeded: integers(tallies, ({ succeeded }) => succeeded),
    failed: integers(tallies, ({ failed }) => failed),
    captured: bigints(tallies, ({ capturedMinor }) => capturedMinor),
    declines: jsons(tallies, ({ declines }) => declines),
    latencies: texts(tallies, ({ latencies }) => column(latencies, String)),
    look_again_at: timestamps(tallies, ({ lookAgainAt }) => lookAgainAt),
  });
  await tx`
    insert into payment_hours (
      account_id, livemode, hour, currency, payments, succeeded, failed, captured, declines, latencies, look_again_at
    )
    select ${account}, ${owner.livemode}, hour, currency, payments, succeeded, failed, captured, declines,
           latencies::integer[], look_again_at
      from ${counted} as tally
  `;
}

/** Up to which hour the merchant's payments were counted; 0 before they ever were. */
export async function readMeasuredTo(read: Sql, owner: Owner): Promise<number> {
  const [row] = await read<{ measured_to: number }>`
    select measured_to
      from payment_hours_progress
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
  `;
  return row?.measured_to ?? 0;
}

/** The same, for whoever counts on: nobody else does meanwhile. */
export async function lockMeasuredTo(tx: Tx, owner: Owner): Promise<number> {
  const [row] = await tx<{ measured_to: number }>`
    insert into payment_hours_progress (account_id, livemode, measured_to)
    values (${uuidOf(owner.account)}, ${owner.livemode}, 0)
        on conflict (account_id, livemode) do update set measured_to = payment_hours_progress.measured_to
    returning measured_to
  `;
  return row?.measured_to ?? 0;
}

export async function updateMeasuredTo(tx: Tx, owner: Owner, hour: number): Promise<void> {
  await tx`
    update payment_hours_progress
       set measured_to = ${hour}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
  `;
}

/** Merchants with payments of before this hour that were never counted, and the hour of the first. */
export async function listUnmeasured(
  read: Sql,
  before: number,
): Promise<{ owner: Owner; hour: number }[]> {
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
    owner: { account: idFromUuid("acct", account_id), livemode },
    hour,
  }));
}

/** The smallest uuid of the hour after the last that was counted: its first 48 bits are milliseconds. */
export const firstHourOfProgress = fragment`
  (lpad(to_hex(coalesce(p.measured_to, 0)::bigint * 3600000), 12, '0') || repeat('0', 20))::uuid`;

/** Hours in which something was still open, and whose time to be counted anew has come. */
export async function listHoursToLookAt(
  read: Sql,
  now: Date,
  limit: number,
): Promise<{ owner: Owner; hour: number }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; hour: number }>`
    select account_id, livemode, hour
      from payment_hours
     where look_again_at <= ${now}
     order by look_again_at
     limit ${limit}
  `;
  return rows.map(({ account_id, livemode, hour }) => ({
    owner: { account: idFromUuid("acct", account_id), livemode },
    hour,
  }));
}
