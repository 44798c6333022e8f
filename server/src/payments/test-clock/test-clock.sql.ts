import { type AccountId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";

/** Moves the expiry times of checkout sessions and decisions into the past by `seconds`. */
export async function advanceSessions(tx: Tx, account: AccountId, seconds: number): Promise<void> {
  const id = uuidOf(account);
  await tx`
    update checkout_sessions
       set expires_at = expires_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode and status = 'open'
  `;
  // Includes expired decisions, because the expiry times of two decisions determine whether one supersedes the other.
  await tx`
    update decisions
       set expires_at = expires_at - make_interval(secs => ${seconds})
     where account_id = ${id} and not livemode
  `;
}

/** Moves this merchant's scheduled times at the simulated acquirer and issuers into the past by `seconds`. */
export async function advanceSimulator(tx: Tx, account: AccountId, seconds: number): Promise<void> {
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
