import { type ChargeId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";

/**
 * Records the review of a held charge. Returns whether the review was still open, or closed with the same result. It
 * moves no money and keeps the version: the capture or void that follows is a transition.
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
