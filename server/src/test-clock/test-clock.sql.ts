import type { Tx } from "../database/sql.ts";
import { type AccountId, uuidOf } from "../primitives/ids.ts";

/**
 * Lets time pass for one merchant's test mode: everything of it that waits for a moment waits that much shorter.
 * What has happened keeps its time, but for when a payment was taken, from which its settlement is counted.
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
           settled_at = settled_at - make_interval(secs => ${seconds}),
           due_at = due_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status in ('processing', 'requires_action', 'authorized')
  `;
  await tx`
    update checkout_sessions
       set expires_at = expires_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status = 'open'
  `;
  // Also those that are over: which one superseded which is told from when each was to expire.
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

/** The same for the payments of the last month, of which there may be very many. */
export async function letTimePassForWhatIsPaid(
  tx: Tx,
  account: AccountId,
  seconds: number,
): Promise<void> {
  await tx`
    update charges
       set settled_at = settled_at - make_interval(secs => ${seconds}),
           capture_before = capture_before - make_interval(secs => ${seconds})
     where account_id = ${uuidOf(account)} and not livemode and status = 'succeeded'
       and settled_at > now() - interval '30 days'
  `;
}

/** The same for what the simulated outside world has in store for this merchant. */
export async function letTimePassOutside(
  tx: Tx,
  account: AccountId,
  seconds: number,
): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update simulator.authorizations
       set becomes_at = becomes_at - make_interval(secs => ${seconds})
     where merchant = ${id} and becomes_at is not null
  `;
  await tx`
    update simulator.operations
       set tell_at = tell_at - make_interval(secs => ${seconds})
     where merchant = ${id} and tell_at is not null
  `;
  await tx`
    update simulator.cases
       set tell_at = tell_at - make_interval(secs => ${seconds}),
           escalates_at = escalates_at - make_interval(secs => ${seconds})
     where merchant = ${id} and (tell_at is not null or escalates_at is not null)
  `;
  await tx`
    update simulator.payouts
       set arrives_at = arrives_at - make_interval(secs => ${seconds})
     where merchant = ${id} and not has_failed
  `;
}
