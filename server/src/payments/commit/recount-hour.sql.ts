import { uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";

const hourMs = 60 * 60 * 1000;

/**
 * Schedules another count of the merchant's payments of one past hour, because the capture of one of these payments has
 * failed. No other late change of a payment's outcome exists, so the counts of old hours are otherwise final. Acquires
 * the lock that the count holds. Without it, a count that read the payments before this transaction could overwrite the
 * row afterwards and cancel the recount.
 */
export async function recountHour(tx: Tx, scope: Scope, at: Date, now: Date): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`
    select measured_to
      from payment_hours_progress
     where account_id = ${account} and livemode = ${scope.livemode}
       for update
  `;
  await tx`
    update payment_hours
       set recount_at = ${now}
     where account_id = ${account} and livemode = ${scope.livemode}
       and hour = ${Math.floor(at.getTime() / hourMs)}
  `;
}
