import { type AccountId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";

/**
 * Advances time for one merchant's test mode by moving due times into the past. Past times stay, except when a payment
 * was charged, from which its availability is computed.
 */
export async function letTimePassForWhatWaits(
  tx: Tx,
  account: AccountId,
  seconds: number,
): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update charges
       set capture_before = capture_before - make_interval(secs => ${seconds}),
           finalized_at = finalized_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status in ('processing', 'requires_action', 'authorized')
  `;
  await tx`
    update checkout_sessions
       set expires_at = expires_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status = 'open'
  `;
  // Expired decisions too, because their order of replacement is derived from their expiry times.
  await tx`
    update decisions
       set expires_at = expires_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode
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
           answer_due_at = answer_due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status in ('needs_response', 'under_review')
  `;
  await tx`
    update payouts
       set day = day - ${seconds}::integer / 86400,
           arrives_at = arrives_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and (due_at is not null or day is not null)
  `;
}

/** Advances the payments of the last month, of which there may be very many. */
export async function letTimePassForWhatIsPaid(
  tx: Tx,
  account: AccountId,
  seconds: number,
): Promise<void> {
  await tx`
    update charges
       set finalized_at = finalized_at - make_interval(secs => ${seconds}),
           capture_before = capture_before - make_interval(secs => ${seconds})
     where account_id = ${uuidOf(account)} and not livemode and status = 'succeeded'
       and finalized_at > now() - interval '30 days'
  `;
}

/** Advances what the simulated acquirer and issuers have scheduled for this merchant. */
export async function letTimePassOutside(
  tx: Tx,
  account: AccountId,
  seconds: number,
): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update simulator.authorizations
       set resolves_at = resolves_at - make_interval(secs => ${seconds})
     where merchant = ${id} and resolves_at is not null
  `;
  await tx`
    update simulator.operations
       set notify_at = notify_at - make_interval(secs => ${seconds})
     where merchant = ${id} and notify_at is not null
  `;
  await tx`
    update simulator.cases
       set notify_at = notify_at - make_interval(secs => ${seconds}),
           escalates_at = escalates_at - make_interval(secs => ${seconds})
     where merchant = ${id} and (notify_at is not null or escalates_at is not null)
  `;
  await tx`
    update simulator.payouts
       set arrives_at = arrives_at - make_interval(secs => ${seconds})
     where merchant = ${id} and not has_failed
  `;
}
