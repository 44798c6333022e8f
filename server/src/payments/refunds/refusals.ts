import type { ErrorCode } from "@florin/contract/errors.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";

/** Returns the charge to refund and the amount. Throws if the refund is not allowed. */
export function chargeOf(
  charge: Charge,
  amountMinor: number | null,
): { paid: SucceededCharge; wanted: number } {
  if (charge.status !== "succeeded") throw notPaid(charge);
  const left = charge.capturedMinor - charge.refundedMinor - charge.disputedMinor;
  const wanted = amountMinor ?? left;
  if (left === 0) throw nothingLeft(charge);
  if (wanted > left) {
    throw refuse(
      "refund_amount_exceeds_captured",
      charge,
      `Of the charge '${charge.id}' ${charge.capturedMinor} was captured, ${charge.refundedMinor} is refunded or on its way, and ${charge.disputedMinor} disputed. At most ${left} can be refunded, and ${wanted} was asked for.`,
      "amount",
    );
  }
  return { paid: charge, wanted };
}

function notPaid(charge: Exclude<Charge, SucceededCharge>): ApiError {
  if (charge.status === "processing") {
    return refuse(
      "charge_outcome_pending",
      charge,
      `The charge '${charge.id}' is 'processing': the acquirer has not said yet whether there is money to give back. Wait for its event, and refund it then.`,
    );
  }
  return refuse(
    "charge_not_refundable",
    charge,
    `The charge '${charge.id}' is '${charge.status}' and took no money; only one that is 'succeeded' can be refunded.`,
  );
}

function nothingLeft(charge: SucceededCharge): ApiError {
  if (charge.disputedMinor > 0) {
    return refuse(
      "refund_disputed_payment",
      charge,
      `A dispute holds all that is left of the charge '${charge.id}'. Accept the dispute to give the money back; if it is lost already, the cardholder has it.`,
    );
  }
  return refuse(
    "charge_already_refunded",
    charge,
    `The charge '${charge.id}' was refunded in full, or its refunds are on their way.`,
  );
}

function refuse(code: ErrorCode, { id }: Charge, message: string, param = "charge_id"): ApiError {
  return new ApiError(code, message, { param, charge: id });
}
