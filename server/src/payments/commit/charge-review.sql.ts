import { type ChargeId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";

/**
 * Records the review of a held charge. Returns false if the charge is no longer held, or if its review was closed with
 * the other result. The version stays the same, because no money moves. The capture or void that follows is a
 * transition.
 */
export async function closeChargeReview(
  tx: Tx,
  scope: Scope,
  id: ChargeId,
  review: "approved" | "declined",
): Promise<boolean> {
  const rows = await tx`
    update charges
       set review = ${review}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and decision_outcome = 'review' and status = 'authorized' and (review is null or review = ${review})
    returning id
  `;
  return rows.length === 1;
}
