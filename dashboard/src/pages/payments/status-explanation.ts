import type { Charge } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { inWords } from "../../components/status-label.ts";

export type Explanation = {
  readonly tone: "info" | "warning" | "negative";
  /** The decline reason, in the words of the timeline and the list of payments. */
  readonly title?: string;
  readonly text: string;
};

/**
 * For a payment that failed, is disputed or is not final, returns the reason and the next step. Returns null for any
 * other payment.
 */
export function statusExplanation(charge: Charge): Explanation | null {
  const { decline_code, pending_reason, status } = charge;
  if (charge.failure_balance_transaction_id) {
    return {
      tone: "negative",
      text: "The payment had succeeded, but the acquirer later reported that it could not collect the amount. The amount was deducted from your balance, and the fee was returned. Ask the customer for a new payment.",
    };
  }
  if (decline_code) {
    const { meaning, nextStep } = declineCodes[decline_code];
    return { tone: "negative", title: inWords(decline_code), text: `${meaning} ${nextStep}` };
  }
  if (charge.failure_message && status === "failed") {
    return { tone: "negative", text: charge.failure_message };
  }
  if (charge.reversal_pending) {
    const confirmation =
      pending_reason === "manual_review"
        ? "The acquirer has not confirmed the cancellation, so the operator of this service must review the payment."
        : "The payment fails when the acquirer confirms the cancellation.";
    return {
      tone: "warning",
      text: `Being canceled: the acquirer did not report the outcome in time. This payment can no longer succeed. If the acquirer approved it, the money is returned. ${confirmation}`,
    };
  }
  switch (pending_reason) {
    case "outcome_unknown":
      return {
        tone: "warning",
        text: charge.livemode
          ? "The outcome is unknown because the acquirer has not responded. If the acquirer does not report the outcome within about 20 minutes, the payment is reversed, or the operator of this service reviews it after three days. Until the outcome is known, a second payment for the same order can charge the customer twice."
          : "The outcome is unknown because the acquirer has not responded. Florin keeps checking with the acquirer until the outcome is known. Do not charge the customer again.",
      };
    case "manual_review":
      return {
        tone: "warning",
        text: "The outcome is unknown because the acquirer never responded. The operator of this service must review the payment. Do not charge the customer again.",
      };
    case "acquirer_processing":
      return { tone: "info", text: "The acquirer is still processing this payment." };
    default:
      break;
  }
  if (status === "requires_action") {
    return {
      tone: "info",
      text: "The customer must authenticate with their bank before the payment continues.",
    };
  }
  return null;
}

/** Returns the decline reason or the pending reason as readable text, or null. */
export function statusReason(charge: Charge): string | null {
  if (charge.decline_code) return inWords(charge.decline_code);
  if (charge.pending_reason) return inWords(charge.pending_reason);
  return null;
}
