import type { Charge } from "@florin/contract/charge.ts";

/** The reason why each operation on a payment is not possible now, or null. */
export type Possible = {
  readonly capture: string | null;
  readonly cancel: string | null;
  readonly refund: string | null;
};

/**
 * Returns the possible operations in advance. The service decides, so a case that is missing here is rejected there
 * with the service's message.
 */
export function whatIsPossible(charge: Charge, now: number): Possible {
  return { capture: capturing(charge, now), cancel: canceling(charge), refund: refunding(charge) };
}

/** Returns the amount that can still be refunded. */
export function refundable(charge: Charge): number {
  return Math.max(charge.amount_captured - charge.amount_refunded - charge.amount_disputed, 0);
}

function capturing(charge: Charge, now: number): string | null {
  if (charge.status !== "authorized") return notHeld(charge);
  if (charge.pending_reason) return underWay;
  if (charge.capture_before !== null && charge.capture_before <= now) {
    return "The bank no longer holds the money.";
  }
  return null;
}

function canceling(charge: Charge): string | null {
  if (charge.status === "requires_action") return null;
  if (charge.status !== "authorized") return notHeld(charge);
  return charge.pending_reason ? underWay : null;
}

const underWay = "Something is under way, and the bank has not answered yet.";

function notHeld({ status }: Charge): string {
  switch (status) {
    case "succeeded":
      return "The money was taken already. Refund it instead.";
    case "canceled":
      return "The hold was let go; no money is held any more.";
    case "failed":
      return "The payment failed; no money is held.";
    case "requires_action":
      return "The customer has not finished the bank’s check.";
    default:
      return "The bank has not answered yet.";
  }
}

function refunding(charge: Charge): string | null {
  switch (charge.status) {
    case "succeeded":
      break;
    case "authorized":
      return "No money was taken yet. Cancel the hold instead.";
    case "processing":
    case "requires_action":
      return "No money was taken yet.";
    default:
      return "No money was taken, so none can go back.";
  }
  if (charge.refunded) return "All of it was refunded.";
  if (charge.disputed) return "It is disputed: the money goes back through the dispute.";
  return refundable(charge) === 0 ? "Nothing is left to refund." : null;
}
