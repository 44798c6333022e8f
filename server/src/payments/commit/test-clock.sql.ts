import { type AccountId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";

/*
 * Advances the test clock of one merchant by moving due times into the past. Recorded times stay unchanged, except the
 * capture time of a payment, because it determines when the payment's funds become available. This is not a state
 * transition, so versions stay the same.
 */

/**
 * Moves the due times of charges, authentications, card verifications, operations, disputes and payouts into the past by
 * `seconds`.
 */
export async function advanceWaiting(tx: Tx, account: AccountId, seconds: number): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update charges
       set capture_before = capture_before - make_interval(secs => ${seconds}),
           finalized_at = finalized_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status in ('processing', 'requires_action', 'authorized')
  `;
  // The due time of an ended authentication is the lease of the process that continues its charge, so it stays.
  await tx`
    update authentications
       set due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and due_at is not null and state <> 'ended'
  `;
  // While a verification is processing, its due time is the lease of the process that has called the acquirer.
  await tx`
    update card_verifications
       set due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status = 'requires_action'
  `;
  await tx`
    update operations
       set due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and due_at is not null
  `;
  await tx`
    update disputes
       set evidence_due_at = evidence_due_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds}),
           response_due_at = response_due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status in ('needs_response', 'under_review')
  `;
  await tx`
    update payouts
       set arrives_at = arrives_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds}),
           captured_before = captured_before - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and (due_at is not null or day is not null)
  `;
  await moveScheduledDays(tx, account, Math.floor(seconds / 86_400));
}

/** Greater than the number of days between the year 1 and the day of any payout. */
const farDays = 1_000_000;

/**
 * Moves the days of the scheduled payouts into the past. Postgres checks `payouts_scheduled_once_a_day` after each row
 * and updates the rows in any order, so a payout could take the day of an earlier payout that has not moved yet. The
 * first statement therefore moves all payouts to days before the year 1, and the second moves them from there.
 */
async function moveScheduledDays(tx: Tx, account: AccountId, days: number): Promise<void> {
  if (days === 0) return;
  const id = uuidOf(account);
  await tx`
    update payouts
       set day = day - ${farDays}::integer
     where account_id = ${id} and not livemode and day is not null
  `;
  await tx`
    update payouts
       set day = day + ${farDays - days}::integer
     where account_id = ${id} and not livemode and day < '0001-01-01'
  `;
}

/**
 * Moves the capture times of payments into the past by `seconds`. There may be very many such payments, so call this
 * before `advanceWaiting`, whose rows concurrent transactions write.
 *
 * Payments of more than 30 days ago are available already. They keep their times, unless the merchant has scheduled
 * payouts. A scheduled payout contains the payments between two capture times, which also move. A payment that kept its
 * time would then be in another payout.
 */
export async function advancePaid(tx: Tx, account: AccountId, seconds: number): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update charges
       set finalized_at = finalized_at - make_interval(secs => ${seconds}),
           capture_before = capture_before - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status = 'succeeded'
       and finalized_at > (
         select case when count(*) > 0 then '-infinity'::timestamptz else now() - interval '30 days' end
           from payouts
          where account_id = ${id} and not livemode and captured_before is not null
       )
  `;
}
