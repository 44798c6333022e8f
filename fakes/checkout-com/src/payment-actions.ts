import type { EventFault } from "@florin/shared-fake/event-outbox.ts";
import { isValidAmount } from "./amount.ts";
import { invalid, notAllowed } from "./api-error.ts";
import { scheduleTestDispute } from "./disputes.ts";
import { findPayment } from "./find-payment.ts";
import { captureFees, record, refundFees } from "./ledger.ts";
import { availableToCapture, availableToRefund, isApproved, statusOf } from "./payment.ts";
import type { Platform } from "./platform.ts";
import type { Action, ActionType, IssuerResponse, Payment } from "./records.ts";
import { actionAccepted, actionEventData, eventLinks } from "./render.ts";
import type { Context, Reply } from "./request-context.ts";
import { integerOf, objectOf, textOf } from "./request-fields.ts";
import { responseOf } from "./test-values.ts";

type Details = {
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isFinal?: boolean;
};

/** Records an action that is not yet processed. */
export function newAction(
  platform: Platform,
  payment: Payment,
  type: ActionType,
  amount: number,
  { reference, metadata, isFinal = true }: Details,
): Action {
  return platform.addAction({
    id: platform.newId("act"),
    payment: payment.id,
    account: payment.account,
    channel: payment.channel,
    type,
    amount,
    reference,
    metadata,
    isFinal,
    state: "pending",
    response: null,
    acquirerReferenceNumber: null,
    requestedAt: platform.clock.nowMs(),
    processedAt: null,
  });
}

/** Captures a payment: `POST /payments/{id}/captures`. Without an amount, the whole payment is captured. */
export function capturePayment(context: Context, id: string): Reply {
  const payment = approvedPayment(context, id);
  const available = availableToCapture(payment);
  if (available === 0) throw notAllowed();
  const amount = amountOf(context, payment, "amount_invalid") ?? available;
  if (amount > payment.authorized) throw invalid("capture_value_greater_than_authorized");
  if (amount > available) throw invalid("capture_value_greater_than_remaining_authorized");
  const type = textOf(context.body, "capture_type") ?? "Final";
  if (type !== "Final" && type !== "NonFinal") throw invalid("capture_type_invalid");
  return accept(context, payment, "Capture", amount, type === "Final");
}

/**
 * Voids a payment: `POST /payments/{id}/voids`. Releases the rest of a payment that is captured in part
 * (checkout.com/docs/payments/manage-payments/void-a-payment).
 */
export function voidPayment(context: Context, id: string): Reply {
  const payment = approvedPayment(context, id);
  const available = availableToCapture(payment);
  if (available === 0) throw notAllowed();
  const amount = amountOf(context, payment, "void_amount_invalid") ?? available;
  if (amount > available) throw invalid("void_amount_invalid");
  return accept(context, payment, "Void", amount);
}

/** Refunds a payment: `POST /payments/{id}/refunds`. Without an amount, the rest is refunded. */
export function refundPayment(context: Context, id: string): Reply {
  const payment = approvedPayment(context, id);
  const available = availableToRefund(payment);
  if (available === 0) throw notAllowed();
  const amount = amountOf(context, payment, "amount_invalid") ?? available;
  if (amount > available) throw invalid("amount_exceeds_balance");
  return accept(context, payment, "Refund", amount);
}

/**
 * Returns all funds of a payment: `POST /payments/{id}/reversals`. Voids what is authorized and refunds what is
 * captured (checkout.com/docs/payments/manage-payments/reverse-a-payment). An automatic capture that is not processed
 * yet counts as captured.
 */
export function reversePayment(context: Context, id: string): Reply {
  const payment = approvedPayment(context, id);
  const { platform } = context;
  const pending = platform
    .actionsOf(payment.id)
    .filter(({ type, state }) => type === "Capture" && state === "pending")
    .reduce((sum, { amount }) => sum + amount, 0);
  const refundable = availableToRefund(payment) + pending;
  const voidable = availableToCapture(payment) - pending;
  if (refundable > 0 && voidable > 0) accept(context, payment, "Void", voidable);
  if (refundable > 0) return accept(context, payment, "Refund", refundable);
  if (voidable > 0) return accept(context, payment, "Void", voidable);
  throw notAllowed();
}

function approvedPayment(context: Context, id: string): Payment {
  const payment = findPayment(context, id);
  if (!isApproved(payment)) throw notAllowed();
  return payment;
}

function amountOf({ body }: Context, { currency }: Payment, code: string): number | null {
  if (body.amount === undefined) return null;
  const amount = integerOf(body, "amount");
  if (amount === null || amount === 0 || !isValidAmount(amount, currency)) throw invalid(code);
  return amount;
}

function accept(
  context: Context,
  payment: Payment,
  type: ActionType,
  amount: number,
  isFinal = true,
): Reply {
  const { platform, body, eventFault, declinesAfterMs } = context;
  const reference = textOf(body, "reference");
  if (reference !== null && reference.length > 50) throw invalid("reference_invalid");
  const action = newAction(platform, payment, type, amount, {
    reference: reference ?? payment.reference,
    metadata: objectOf(body, "metadata") ?? {},
    isFinal,
  });
  const declined = declinesAfterMs === null ? null : responseOf("20005");
  context.defer({
    delayMs: declinesAfterMs ?? platform.processingMs,
    run: () => executeAction(platform, action.id, declined, eventFault),
  });
  return { status: 202, body: actionAccepted(platform, action) };
}

/** Processes an accepted action. It is declined if other actions have used up the amount since its acceptance. */
export function executeAction(
  platform: Platform,
  id: string,
  declined: IssuerResponse | null,
  fault: EventFault | null,
): void {
  const action = platform.actions.get(id);
  if (action?.state !== "pending") return;
  const payment = platform.payment(action.payment);
  const isRefund = action.type === "Refund";
  const available = isRefund ? availableToRefund(payment) : availableToCapture(payment);
  const response =
    declined ?? responseOf(action.amount > available ? (isRefund ? "20005" : "20109") : "10000");
  const isApprovedNow = response.code.startsWith("1");
  const processed = platform.put<Action>(platform.actions, {
    ...action,
    state: isApprovedNow ? "approved" : "declined",
    response,
    acquirerReferenceNumber: platform.newDigits(23),
    processedAt: platform.clock.nowMs(),
  });
  const changed = isApprovedNow ? apply(platform, payment, processed) : payment;
  if (isApprovedNow && action.type === "Capture") scheduleTestDispute(platform, changed);
  const names = eventTypes[action.type as keyof typeof eventTypes];
  platform.emit(
    { account: payment.account, channel: payment.channel, subject: payment.id },
    isApprovedNow ? names.approved : names.declined,
    actionEventData(platform, changed, processed),
    eventLinks(platform, changed),
    fault,
  );
}

/** The event types of each action (checkout.com/docs/developer-resources/event-notifications/event-types). */
const eventTypes = {
  Capture: { approved: "payment_captured", declined: "payment_capture_declined" },
  Void: { approved: "payment_voided", declined: "payment_void_declined" },
  Refund: { approved: "payment_refunded", declined: "payment_refund_declined" },
} as const;

/** Changes the amounts of the payment and the ledger. */
function apply(platform: Platform, payment: Payment, action: Action): Payment {
  const { amount } = action;
  const changed = { ...payment };
  if (action.type === "Void") changed.voided += amount;
  if (action.type === "Refund") changed.refunded += amount;
  if (action.type === "Capture") {
    changed.captured += amount;
    // A final capture voids the remaining amount (nas-openapi.json, schema `CaptureRequest`, capture_type).
    if (action.isFinal) changed.voided = payment.authorized - changed.captured;
  }
  const isPartial = amount < (action.type === "Refund" ? payment.captured : payment.authorized);
  if (action.type !== "Void") {
    const isRefund = action.type === "Refund";
    const actionType = isPartial ? `Partial ${action.type}` : action.type;
    record(platform, {
      account: payment.account,
      channel: payment.channel,
      payment: payment.id,
      action: action.id,
      actionType,
      breakdownType: isRefund ? "Refund" : actionType,
      reference: action.reference,
      currency: payment.currency,
      requestedAt: action.requestedAt,
      amount: isRefund ? -amount : amount,
      fees: isRefund ? refundFees(payment.currency) : captureFees(amount),
    });
  }
  return platform.put<Payment>(platform.payments, { ...changed, status: statusOf(changed) });
}
