import type { Modification } from "./modification.ts";
import type { EventCode } from "./notification.ts";
import { heldValue, type Payment, refundableValue } from "./payment.ts";
import {
  captureFailureReason,
  captureValue,
  failCapture,
  failRefund,
  networkFailureMs,
  refundValue,
  releaseValue,
  repeatCapture,
} from "./payment-movements.ts";
import type { Platform } from "./platform.ts";
import { recordEvent } from "./record-event.ts";
import { scheduleTestDispute } from "./run-dispute.ts";

type Execution =
  | { readonly kind: "succeeded"; readonly payment: Payment; readonly value: number }
  | { readonly kind: "failed"; readonly reason: string };

/** Executes a received modification and returns its notifications. Does nothing if it was executed before. */
export function executeModification(platform: Platform, pspReference: string): readonly string[] {
  const modification = platform.state.modifications.get(pspReference);
  if (modification?.state !== "received") return [];
  const payment = platform.state.payments.get(modification.payment ?? "") ?? null;
  const execution = payment
    ? execute(platform, modification, payment)
    : failed("Original payment not found");
  if (execution.kind === "failed") {
    const reason = execution.reason;
    const done: Modification = { ...modification, state: "failed", failureReason: reason };
    platform.state.put("modifications", pspReference, done);
    return notify(platform, done, payment, {
      eventCode: eventCodes[modification.kind],
      success: false,
      reason,
    });
  }
  platform.state.put("payments", execution.payment.pspReference, execution.payment);
  const done: Modification = {
    ...modification,
    state: "succeeded",
    executedValue: execution.value,
    failsAt: failureTime(platform, modification, execution.payment),
  };
  platform.state.put("modifications", pspReference, done);
  scheduleLateFailure(platform, done);
  if (payment?.capturedValue === 0) scheduleTestDispute(platform, execution.payment);
  return notify(platform, done, payment, {
    eventCode: eventCodes[modification.kind],
    success: true,
    reason: "",
  });
}

const eventCodes: Readonly<Record<Modification["kind"], EventCode>> = {
  capture: "CAPTURE",
  cancel: "CANCELLATION",
  refund: "REFUND",
  reversal: "CANCEL_OR_REFUND",
  technical_cancel: "TECHNICAL_CANCEL",
};

function failed(reason: string): Execution {
  return { kind: "failed", reason };
}

function execute(platform: Platform, modification: Modification, payment: Payment): Execution {
  const { kind } = modification;
  if (payment.state !== "authorised") return failed("Transaction is not authorised");
  switch (kind) {
    case "capture":
      return capture(platform, modification, payment);
    case "refund":
      return refund(platform, modification, payment, modification.amount?.value ?? 0);
    case "cancel":
    case "technical_cancel":
      if (payment.capturedValue > 0) return failed("Transaction was already captured");
      return cancel(platform, modification, payment);
    case "reversal":
      if (payment.capturedValue === 0) return cancel(platform, modification, payment);
      return refund(platform, modification, payment, refundableValue(payment));
  }
}

function capture(platform: Platform, modification: Modification, payment: Payment): Execution {
  const { multiplePartialCaptures } = platform.account(payment.merchantAccount);
  const value = modification.amount?.value ?? 0;
  if (modification.amount?.currency !== payment.amount.currency) {
    return failed("Currency does not match the authorised currency");
  }
  if (heldValue(payment) < value) return failed("Insufficient balance on payment");
  const captured = captureValue(platform, payment, value, modification);
  const remainder = multiplePartialCaptures ? 0 : heldValue(captured);
  const released = releaseValue(platform, captured, remainder, modification);
  return { kind: "succeeded", payment: released, value };
}

function refund(
  platform: Platform,
  modification: Modification,
  payment: Payment,
  value: number,
): Execution {
  if (payment.capturedValue === 0) {
    return failed("Transaction hasn't been captured, refund not possible");
  }
  if (modification.amount && modification.amount.currency !== payment.amount.currency) {
    return failed("Currency does not match the captured currency");
  }
  if (value === 0 || refundableValue(payment) < value) {
    return failed("Insufficient balance on payment");
  }
  const refunded = refundValue(platform, payment, value, modification);
  return { kind: "succeeded", payment: refunded, value };
}

function cancel(platform: Platform, modification: Modification, payment: Payment): Execution {
  const value = heldValue(payment);
  if (value === 0 && payment.amount.value > 0) return failed("Transaction was already cancelled");
  const canceled = releaseValue(platform, payment, value, modification);
  return { kind: "succeeded", payment: canceled, value };
}

/** Returns the time at which the executed modification fails, or null. */
function failureTime(
  platform: Platform,
  { kind, lateFailureMs }: Modification,
  { instruction }: Payment,
): number | null {
  const now = platform.clock.nowMs();
  if (lateFailureMs !== null) return now + lateFailureMs;
  const { laterFailure } = instruction;
  if (laterFailure === null || kind === "cancel" || kind === "technical_cancel") return null;
  return (kind === "capture") === (laterFailure === "capture") ? now + networkFailureMs : null;
}

export function scheduleLateFailure(platform: Platform, modification: Modification): void {
  const { failsAt, pspReference, state } = modification;
  if (failsAt === null || state !== "succeeded") return;
  platform.clock.schedule(failsAt, () => {
    const notifications = failLater(platform, pspReference);
    platform.state.commit();
    platform.dispatch(notifications);
  });
}

/** Reverses a capture or refund that had succeeded. */
function failLater(platform: Platform, pspReference: string): readonly string[] {
  const modification = platform.state.modifications.get(pspReference);
  const payment = platform.state.payments.get(modification?.payment ?? "");
  if (!modification || !payment || modification.state !== "succeeded") return [];
  const value = modification.executedValue;
  const isCapture = modification.kind === "capture";
  const after = isCapture
    ? failCapture(platform, payment, value, modification)
    : failRefund(platform, payment, value, modification);
  platform.state.put("payments", payment.pspReference, after);
  const done: Modification = { ...modification, state: "failed_later" };
  platform.state.put("modifications", pspReference, done);
  if (isCapture) {
    return notify(platform, done, payment, {
      eventCode: "CAPTURE_FAILED",
      success: true,
      reason: captureFailureReason,
    });
  }
  const isReversed = payment.instruction.laterFailure === "refund_reversed";
  const eventCode = isReversed ? "REFUNDED_REVERSED" : "REFUND_FAILED";
  return notify(platform, done, payment, { eventCode, success: true, reason: "Refund Failed" });
}

/** Repeats a capture that had failed, as Adyen does after a technical problem of the card network. */
export function recapture(platform: Platform, pspReference: string): readonly string[] | null {
  const modification = platform.state.modifications.get(pspReference);
  const payment = platform.state.payments.get(modification?.payment ?? "");
  if (!modification || !payment || modification.kind !== "capture") return null;
  if (modification.state !== "failed_later") return null;
  const after = repeatCapture(platform, payment, modification.executedValue, modification);
  platform.state.put("payments", payment.pspReference, after);
  const done: Modification = { ...modification, state: "succeeded", failsAt: null };
  platform.state.put("modifications", pspReference, done);
  return notify(platform, done, payment, {
    eventCode: "CAPTURE",
    success: true,
    reason: "Transaction Auto-recaptured",
  });
}

type ModificationEvent = {
  readonly eventCode: EventCode;
  readonly success: boolean;
  readonly reason: string;
};

function notify(
  platform: Platform,
  modification: Modification,
  payment: Payment | null,
  { eventCode, success, reason }: ModificationEvent,
): string[] {
  const { kind, notificationFault, paymentReference, pspReference, reference } = modification;
  const amount = modification.amount ?? payment?.amount ?? { currency: "EUR", value: 0 };
  const action = payment && payment.capturedValue > 0 ? "refund" : "cancel";
  return recordEvent(
    platform,
    {
      merchantAccount: modification.merchantAccount,
      eventCode,
      pspReference,
      originalReference: payment?.pspReference ?? null,
      // A TECHNICAL_CANCEL event contains the reference of the payment in the official example. Other events contain
      // the reference of the modification.
      merchantReference:
        kind === "technical_cancel" ? paymentReference : (reference ?? paymentReference),
      amount,
      success,
      reason,
      paymentMethod: payment?.card.brand ?? null,
      operations: null,
      additionalData: eventCode === "CANCEL_OR_REFUND" ? { "modification.action": action } : {},
    },
    eventCode === "CAPTURE_FAILED" || eventCode === "REFUND_FAILED" ? null : notificationFault,
  );
}
