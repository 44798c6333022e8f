import type { MovementKind } from "./ledger.ts";
import type { Payment } from "./payment.ts";
import type { Platform } from "./platform.ts";

/** The operation that moves the amount, or null for an automatic movement. */
export type Cause = { readonly pspReference: string } | null;

/** Captures a part of the authorization: the hold ends, and the issuer owes the money. */
export function captureValue(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  const kind = "captured";
  platform.move(payment, {
    kind,
    debit: "authorized",
    credit: "issuer_holds",
    value,
    modification,
  });
  platform.move(payment, { kind, debit: "issuers", credit: "payable", value, modification });
  return { ...payment, capturedValue: payment.capturedValue + value };
}

/** The time from the success of a capture or refund to the failure that the card network reports. */
export const networkFailureMs = 60 * 60 * 1000;

export const captureFailureReason = "Capture rejected by card scheme because of a technical issue.";

/** Ends the hold on a part of the authorization without a capture. */
export function releaseValue(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  platform.move(payment, {
    kind: "released",
    debit: "authorized",
    credit: "issuer_holds",
    value,
    modification,
  });
  return { ...payment, releasedValue: payment.releasedValue + value };
}

/** Reverses a capture that failed after its success. The amount is then neither captured nor held. */
export function failCapture(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  const kind = "capture_failed";
  platform.move(payment, { kind, debit: "payable", credit: "issuers", value, modification });
  return {
    ...payment,
    capturedValue: payment.capturedValue - value,
    releasedValue: payment.releasedValue + value,
  };
}

/** Captures an amount again after its capture has failed. The hold on the amount has already ended. */
export function repeatCapture(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  const kind = "captured";
  platform.move(payment, { kind, debit: "issuers", credit: "payable", value, modification });
  return {
    ...payment,
    capturedValue: payment.capturedValue + value,
    releasedValue: payment.releasedValue - value,
  };
}

/** Pays an amount back to the issuer. */
export function refundValue(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  payIssuer(platform, payment, "refunded", value, modification);
  return { ...payment, refundedValue: payment.refundedValue + value };
}

export function failRefund(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  payIssuer(platform, payment, "refund_failed", -value, modification);
  return { ...payment, refundedValue: payment.refundedValue - value };
}

export function chargeBack(
  platform: Platform,
  payment: Payment,
  kind: "chargeback" | "second_chargeback",
  value: number,
  modification: Cause,
): Payment {
  payIssuer(platform, payment, kind, value, modification);
  return { ...payment, chargedBackValue: payment.chargedBackValue + value };
}

export function reverseChargeback(
  platform: Platform,
  payment: Payment,
  value: number,
  modification: Cause,
): Payment {
  payIssuer(platform, payment, "chargeback_reversed", -value, modification);
  return { ...payment, chargedBackValue: payment.chargedBackValue - value };
}

/** Moves money from the merchant to the issuer. A negative value moves it back. */
function payIssuer(
  platform: Platform,
  payment: Payment,
  kind: MovementKind,
  value: number,
  modification: Cause,
): void {
  platform.move(payment, {
    kind,
    debit: value > 0 ? "payable" : "issuers",
    credit: value > 0 ? "issuers" : "payable",
    value: Math.abs(value),
    modification,
  });
}
