/**
 * The statuses that the dashboard shows. A refund or a dispute replaces `succeeded`, an open review replaces
 * `authorized`, and a pending reversal replaces `processing`. Each charge has exactly one of these statuses.
 */
export const displayStatuses = [
  "succeeded",
  "authorized",
  "in_review",
  "processing",
  "being_canceled",
  "requires_action",
  "failed",
  "canceled",
  "partially_refunded",
  "refunded",
  "disputed",
] as const;
export type DisplayStatus = (typeof displayStatuses)[number];

/** The fields of a charge that determine its status in the dashboard. */
type Shown = {
  readonly status: DisplayStatus;
  readonly amount_refunded: number;
  readonly refunded: boolean;
  readonly disputed: boolean;
  readonly reversal_pending: boolean;
};

/** Returns the status of a charge in the dashboard. `GET /charges?display_status=` filters by this status. */
export function displayStatusOf(charge: Shown, isInReview: boolean): DisplayStatus {
  if (charge.disputed) return "disputed";
  if (charge.refunded) return "refunded";
  if (charge.amount_refunded > 0) return "partially_refunded";
  if (charge.reversal_pending) return "being_canceled";
  return isInReview ? "in_review" : charge.status;
}
