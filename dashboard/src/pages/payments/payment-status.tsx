import type { Charge } from "@florin/contract/charge.ts";
import { inWords, Status } from "../../components/badge.tsx";

/**
 * A payment's status. A refund or a dispute replaces "Succeeded", a review replaces "Authorized", and a pending reversal
 * replaces "Processing".
 */
export function PaymentStatus({ charge }: { charge: Charge }) {
  return <Status status={displayStatus(charge)} />;
}

function displayStatus(charge: Charge): string {
  if (charge.disputed) return "disputed";
  if (charge.refunded) return "refunded";
  if (charge.amount_refunded > 0) return "partially_refunded";
  if (charge.reversal_pending) return "being_canceled";
  return isHeldForReview(charge) ? "in_review" : charge.status;
}

/**
 * Returns whether the payment waits for a review. An approved review captures the payment, unless the merchant captures
 * it manually.
 */
export function isHeldForReview({ status, outcome, capture_method }: Charge): boolean {
  return status === "authorized" && outcome.decision === "review" && capture_method === "automatic";
}

/** Returns the decline reason or the pending reason as readable text, or null. */
export function statusReason(charge: Charge): string | null {
  if (charge.decline_code) return inWords(charge.decline_code);
  if (charge.pending_reason) return inWords(charge.pending_reason);
  return null;
}
