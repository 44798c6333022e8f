import type { ErrorCode } from "@florin/contract/errors.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";

/** Returns the succeeded charge and the amount to refund. Throws if the refund is not allowed. */
export function chargeOf(
  charge: Charge,
  amountMinor: number | null,
): { paid: SucceededCharge; requestedMinor: number } {
  if (charge.status !== "succeeded") throw notPaid(charge);
  const left = charge.capturedMinor - charge.refundedMinor - charge.disputedMinor;
  const requestedMinor = amountMinor ?? left;
  if (left === 0) throw nothingLeft(charge);
  if (requestedMinor > left) {
    throw reject(
      "refund_amount_exceeds_captured",
      charge,
      `\`amount\` must be at most ${left}. Got ${requestedMinor}. The charge '${charge.id}' has ${charge.capturedMinor} captured, ${charge.refundedMinor} refunded or pending, and ${charge.disputedMinor} disputed.`,
      "amount",
    );
  }
  return { paid: charge, requestedMinor };
}

function notPaid(charge: Exclude<Charge, SucceededCharge>): ApiError {
  if (charge.status === "processing") {
    return reject(
      "charge_outcome_pending",
      charge,
      `The charge '${charge.id}' is 'processing', because its outcome at the acquirer is unknown. Wait for the event with the outcome, then refund the charge.`,
    );
  }
  return reject(
    "charge_not_refundable",
    charge,
    `The charge '${charge.id}' is '${charge.status}' and has no captured amount. It must be 'succeeded' to be refunded.`,
  );
}

function nothingLeft(charge: SucceededCharge): ApiError {
  if (charge.disputedMinor > 0) {
    return reject(
      "refund_disputed_payment",
      charge,
      `The remaining amount of the charge '${charge.id}' is disputed and cannot be refunded. Accept an open dispute to return the money. A lost dispute has already returned it.`,
    );
  }
  return reject(
    "charge_already_refunded",
    charge,
    `The charge '${charge.id}' is fully refunded, or its refunds are pending. Nothing is left to refund.`,
  );
}

function reject(code: ErrorCode, { id }: Charge, message: string, param = "charge_id"): ApiError {
  return new ApiError(code, message, { param, charge: id });
}
