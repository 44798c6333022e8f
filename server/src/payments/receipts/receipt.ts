import type { Receipt as ReceiptObject } from "@florin/contract/receipt.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type ChargeId, createdAt, type ReceiptId, type RefundId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";

/** A receipt that was emailed to a customer. */
export type Receipt = {
  readonly scope: Scope;
  readonly id: ReceiptId;
  readonly chargeId: ChargeId;
  /** Null for the receipt of a payment. */
  readonly refundId: RefundId | null;
  readonly recipient: string;
};

/** The time for which receipts are kept. They contain email addresses. */
export const receiptLifeMs = 90 * 24 * 60 * 60_000;

/**
 * The number consists of the last characters of the charge's ID. These are random, while the first characters contain
 * the time.
 */
const numberLength = 12;

/** Returns the receipt number of a payment, such as `Q2V7-Z4H6-K1SB`. Its refunds have the same number. */
export function receiptNumber(charge: ChargeId): string {
  const random = charge.slice(-numberLength).toUpperCase();
  return [random.slice(0, 4), random.slice(4, 8), random.slice(8)].join("-");
}

/** Returns the receipt as an API object. */
export function receiptObject({
  scope,
  id,
  chargeId,
  refundId,
  recipient,
}: Receipt): ReceiptObject {
  return {
    id,
    object: "receipt",
    livemode: scope.livemode,
    created: unixSeconds(createdAt(id)),
    number: receiptNumber(chargeId),
    charge_id: chargeId,
    refund_id: refundId,
    email: recipient,
  };
}
