import { type AccountId, firstUuidAt, uuidOf } from "../../core/ids.ts";
import { type Fragment, fragment, type Tx } from "../../platform/database/sql.ts";
import type { ClockAdvance } from "./clock-advance.sql.ts";

/*
 * Advances the test clock of one merchant by moving due times into the past. Recorded times stay unchanged, except the
 * capture time of a payment, because it determines when the payment's funds become available. This is not a state
 * transition, so versions stay the same.
 */

/** A table with due times of test mode, and the columns that an advance moves. */
export type MovedTable = {
  readonly table: Fragment;
  /** The last column of the primary key. The columns before it are those of `own`. */
  readonly key: Fragment;
  readonly own: (account: string) => Fragment;
  /** The SQL assignments of the new times. */
  readonly moves: (by: Fragment, advance: ClockAdvance) => Fragment;
  /** The condition of the rows whose times move. */
  readonly rows: Fragment | ((advance: ClockAdvance) => Fragment);
  /**
   * True if a key does not contain the creation time of its row. An advance then also moves rows that were created
   * after its start.
   */
  readonly hasRandomKeys?: true;
};

const id = fragment`id`;
const reference = fragment`reference`;
const inTestMode = (account: string) => fragment`account_id = ${account} and not livemode`;
const ofMerchant = (account: string) => fragment`merchant = ${account}`;

export const charges: MovedTable = {
  table: fragment`charges`,
  key: id,
  own: inTestMode,
  moves: (by) => fragment`
    finalized_at = finalized_at - ${by}, capture_before = capture_before - ${by}, due_at = due_at - ${by}`,
  // Payments from more than 30 days ago are already available. They keep their times, unless the merchant has scheduled
  // payouts. A scheduled payout contains the payments between two capture times, which the advance moves too. A payment
  // that kept its capture time would then belong to another payout. Payments that are captured after the start of the
  // advance keep their times, like objects that are created after it.
  rows: ({ account, startedAt }) => fragment`
    (status in ('processing', 'requires_action', 'authorized')
     or (status = 'succeeded' and finalized_at <= ${startedAt} and finalized_at > (
       select case when count(*) > 0 then '-infinity'::timestamptz
                   else ${startedAt}::timestamptz - interval '30 days' end
         from payouts
        where account_id = ${uuidOf(account)} and not livemode and captured_before is not null)))`,
};

/**
 * The tables in the order in which their rows move. The simulator's times move before those of Florin's inquiries.
 * Otherwise an inquiry in between would find no outcome and be repeated later.
 */
export const movedTables: readonly MovedTable[] = [
  {
    table: fragment`simulator.authorizations`,
    key: reference,
    own: ofMerchant,
    moves: (by) => fragment`resolves_at = resolves_at - ${by}`,
    rows: fragment`resolves_at is not null`,
  },
  {
    table: fragment`simulator.operations`,
    key: reference,
    own: ofMerchant,
    moves: (by) => fragment`notify_at = notify_at - ${by}`,
    rows: fragment`notify_at is not null`,
  },
  {
    table: fragment`simulator.cases`,
    key: id,
    own: ofMerchant,
    moves: (by) => fragment`notify_at = notify_at - ${by}, escalates_at = escalates_at - ${by}`,
    rows: fragment`(notify_at is not null or escalates_at is not null)`,
    hasRandomKeys: true,
  },
  {
    table: fragment`simulator.payouts`,
    key: reference,
    own: ofMerchant,
    moves: (by) => fragment`arrives_at = arrives_at - ${by}`,
    rows: fragment`not has_failed`,
  },
  {
    table: fragment`authentications`,
    key: fragment`charge_id`,
    own: inTestMode,
    moves: (by) => fragment`due_at = due_at - ${by}`,
    // The due time of an ended authentication is the lease of the process that continues its charge, so it stays.
    rows: fragment`due_at is not null and state <> 'ended'`,
  },
  {
    table: fragment`card_verifications`,
    key: id,
    own: inTestMode,
    moves: (by) => fragment`due_at = due_at - ${by}`,
    // While a verification is processing, its due time is the lease of the process that has called the acquirer.
    rows: fragment`status = 'requires_action'`,
  },
  {
    table: fragment`operations`,
    key: id,
    own: inTestMode,
    moves: (by) => fragment`due_at = due_at - ${by}`,
    rows: fragment`due_at is not null`,
  },
  {
    table: fragment`disputes`,
    key: id,
    own: inTestMode,
    moves: (by) => fragment`
      evidence_due_at = evidence_due_at - ${by}, due_at = due_at - ${by}, response_due_at = response_due_at - ${by}`,
    rows: fragment`status in ('needs_response', 'under_review')`,
  },
  {
    table: fragment`payouts`,
    key: id,
    own: inTestMode,
    // A scheduled payout's day first moves to a day before the year 1, and `moveScheduledDays` moves it from there.
    // Postgres checks `payouts_scheduled_once_a_day` after each row and updates the rows in any order, so a payout
    // could otherwise take the day of an earlier payout that has not moved yet.
    moves: (by, { seconds }) => fragment`
      arrives_at = arrives_at - ${by}, due_at = due_at - ${by}, captured_before = captured_before - ${by},
      day = day - ${farDays + wholeDays(seconds)}::integer`,
    rows: fragment`(due_at is not null or day is not null)`,
  },
  {
    table: fragment`checkout_sessions`,
    key: id,
    own: inTestMode,
    moves: (by) => fragment`expires_at = expires_at - ${by}`,
    rows: fragment`status = 'open'`,
  },
  {
    table: fragment`decisions`,
    key: id,
    own: inTestMode,
    moves: (by) => fragment`expires_at = expires_at - ${by}`,
    // Includes expired decisions, because the expiry times of two decisions determine whether one supersedes the other.
    rows: fragment`true`,
  },
  charges,
];

/** Greater than the number of days between the year 1 and the day of any payout. */
const farDays = 1_000_000;
const wholeDays = (seconds: number) => Math.floor(seconds / 86_400);

/**
 * Moves the times of the next rows of a table. Reads at most `limit` rows. Returns the IDs of the rows that were read
 * and of those whose times were moved. Can read many rows that keep their times, because no index contains only the
 * rows to move.
 */
export async function moveNextRows(
  tx: Tx,
  advance: ClockAdvance,
  { table, key, own, moves, rows, hasRandomKeys }: MovedTable,
  limit: number,
): Promise<{ readonly read: readonly string[]; readonly moved: readonly string[] }> {
  const ofAccount = own(uuidOf(advance.account));
  const created = hasRandomKeys
    ? fragment``
    : fragment`and ${key} < ${firstUuidAt(new Date(advance.startedAt.getTime() + 1))}`;
  const next = await tx<{ id: string }>`
    select ${key} as id
      from ${table}
     where ${ofAccount} and ${key} > ${advance.movedThrough} ${created}
     order by ${key}
     limit ${limit}
  `;
  const read = next.map((row) => row.id);
  const last = read.at(-1);
  if (last === undefined) return { read, moved: [] };
  const by = fragment`make_interval(secs => ${advance.seconds})`;
  const moved = await tx<{ id: string }>`
    update ${table}
       set ${moves(by, advance)}
     where ${ofAccount} and ${key} > ${advance.movedThrough} and ${key} <= ${last}
       and ${typeof rows === "function" ? rows(advance) : rows}
    returning ${key} as id
  `;
  return { read, moved: moved.map((row) => row.id) };
}

/** Moves the days of the scheduled payouts to their new days, after all payouts have moved. */
export async function moveScheduledDays(tx: Tx, account: AccountId): Promise<void> {
  await tx`
    update payouts
       set day = day + ${farDays}::integer
     where account_id = ${uuidOf(account)} and not livemode and day < '0001-01-01'
  `;
}

/**
 * Reports whether an advance by `seconds` would move a time to before `limit`. Checks only the tables whose rows every
 * advance moves for as long as they exist. Reads only the oldest row of each table, because it was moved by the most
 * advances.
 */
export async function movesBefore(
  tx: Tx,
  account: AccountId,
  seconds: number,
  limit: Date,
): Promise<boolean> {
  const accountId = uuidOf(account);
  const earliest = fragment`${limit}::timestamptz + make_interval(secs => ${seconds})`;
  const inService = await tx<{ moves_before: boolean | null }>`
    select least(
             (select min(day)::timestamptz from payouts where ${inTestMode(accountId)} and day is not null),
             (select expires_at from decisions where ${inTestMode(accountId)} order by id limit 1),
             (select min(evidence_due_at) from disputes where ${inTestMode(accountId)} and status = 'under_review')
           ) < ${earliest} as moves_before
  `;
  const inSimulator = await tx<{ moves_before: boolean }>`
    select arrives_at < ${earliest} as moves_before
      from simulator.payouts
     where ${ofMerchant(accountId)} and not has_failed
     order by reference
     limit 1
  `;
  return [...inService, ...inSimulator].some((row) => row.moves_before === true);
}
