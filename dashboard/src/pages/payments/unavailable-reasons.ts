import type { Charge } from "@florin/contract/charge.ts";

/** For each operation on a payment, the reason why the operation is not possible now. Null if it is possible. */
export type UnavailableReasons = {
  readonly capture: string | null;
  readonly cancel: string | null;
  readonly refund: string | null;
};

/**
 * Returns for each operation the reason why it is not possible, so that its button can be disabled. The service makes
 * the same checks. If a check is missing here, the person sees the service's error message.
 */
export function unavailableReasons(charge: Charge, now: number): UnavailableReasons {
  return { capture: capturing(charge, now), cancel: canceling(charge), refund: refunding(charge) };
}

/** Returns the amount that can still be refunded. */
export function refundable(charge: Charge): number {
  return Math.max(charge.amount_captured - charge.amount_refunded - charge.amount_disputed, 0);
}

function capturing(charge: Charge, now: number): string | null {
  if (charge.status !== "authorized") return whyNotCapturable(charge);
  if (charge.pending_reason) return operationInProgress;
  if (charge.capture_before !== null && charge.capture_before <= now) {
    return "The authorization has expired.";
  }
  return null;
}

function canceling(charge: Charge): string | null {
  if (charge.status === "requires_action") return null;
  if (charge.status !== "authorized") return whyNotCapturable(charge);
  return charge.pending_reason ? operationInProgress : null;
}

const operationInProgress = "Another operation is in progress.";

function whyNotCapturable({ status }: Charge): string {
  switch (status) {
    case "succeeded":
      return "The payment is already captured. Refund it instead.";
    case "canceled":
      return "The payment was canceled.";
    case "failed":
      return "The payment failed.";
    case "requires_action":
      return "The customer has not completed authentication.";
    default:
      return "The acquirer has not responded yet.";
  }
}

function refunding(charge: Charge): string | null {
  switch (charge.status) {
    case "succeeded":
      break;
    case "authorized":
      return "The payment is not captured yet. Cancel it instead.";
    case "processing":
    case "requires_action":
      return "The payment is not captured yet.";
    default:
      return "The payment was never captured.";
  }
  if (charge.refunded) return "The payment was refunded in full.";
  if (refundable(charge) > 0) return null;
  return charge.amount_disputed > 0
    ? "The remaining amount is disputed, so you cannot refund it."
    : "Nothing is left to refund.";
}
