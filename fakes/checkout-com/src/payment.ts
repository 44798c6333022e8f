import type { Payment, PaymentStatus } from "./records.ts";

/** Returns the authorized amount that is neither captured nor voided. */
export function availableToCapture({ authorized, captured, voided }: Payment): number {
  return authorized - captured - voided;
}

export function availableToRefund({ captured, refunded }: Payment): number {
  return captured - refunded;
}

/** Returns the status after a capture, void or refund. */
export function statusOf(payment: Payment): PaymentStatus {
  const { authorized, captured, refunded, voided } = payment;
  if (refunded > 0) return refunded === captured ? "Refunded" : "Partially Refunded";
  if (captured > 0) return captured === authorized ? "Captured" : "Partially Captured";
  return voided > 0 ? "Voided" : "Authorized";
}

export function isApproved({ response }: Payment): boolean {
  return response?.code.startsWith("1") === true;
}
