import type { EventFault } from "@florin/shared-fake/event-outbox.ts";
import { newNetworkTransactionId } from "@florin/shared-fake/network-transaction-id.ts";
import { authorizationFees, cardVerificationFees, record } from "./ledger.ts";
import { executeAction, newAction } from "./payment-actions.ts";
import type { Platform } from "./platform.ts";
import type { Action, IssuerResponse, Payment } from "./records.ts";
import { authorizationEventData, eventLinks } from "./render.ts";
import type { Context } from "./request-context.ts";
import { testResponseOf } from "./test-values.ts";

/**
 * The lifetime of an authorization. A payment that is not captured within seven days expires
 * (checkout.com/docs/payments/manage-payments/capture-a-payment).
 */
const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000;

/** Captures an approved payment automatically unless the request has `capture: false`. */
export function deferCapture(
  context: Pick<Context, "platform" | "eventFault" | "defer">,
  paid: Payment,
): void {
  if (!paid.capture || paid.status !== "Authorized") return;
  const { platform, eventFault } = context;
  const { amount, reference, metadata } = paid;
  const capture = newAction(platform, paid, "Capture", amount, { reference, metadata });
  context.defer({
    delayMs: platform.processingMs,
    run: () => executeAction(platform, capture.id, null, eventFault),
  });
}

/** Returns the response that the control API has set, or the response that the amount causes. */
export function nextResponse(platform: Platform, payment: Payment, isAuthenticated: boolean) {
  const next = platform.nextResponses.get(payment.channel);
  platform.nextResponses.delete(payment.channel);
  return next ?? testResponseOf(payment.amount, payment.currency, isAuthenticated);
}

/** Records the response of the issuer. */
export function decidePayment(
  platform: Platform,
  id: string,
  response: IssuerResponse,
  fault: EventFault | null,
): { readonly decided: Payment; readonly action: Action } {
  const known = platform.payment(id);
  const isVerification = known.amount === 0;
  const type = isVerification ? "Card Verification" : "Authorization";
  const approved = response.code.startsWith("1");
  const now = platform.clock.nowMs();
  const decided = platform.put<Payment>(platform.payments, {
    ...known,
    response,
    status: approved ? (isVerification ? "Card Verified" : "Authorized") : "Declined",
    authCode: approved ? platform.newDigits(6) : null,
    schemeId: newNetworkTransactionId(known.card.scheme === "MASTERCARD", now),
    authorized: approved ? known.amount : 0,
    expiresAt: approved && !isVerification ? now + authorizationLifeMs : null,
  });
  const { reference, metadata } = decided;
  const pending = newAction(platform, decided, type, decided.amount, { reference, metadata });
  const action = platform.put<Action>(platform.actions, {
    ...pending,
    state: approved ? "approved" : "declined",
    response,
    processedAt: now,
  });
  record(platform, {
    ...actionFacts(decided, action),
    breakdownType: null,
    amount: 0,
    fees: isVerification
      ? cardVerificationFees(decided.currency)
      : authorizationFees(decided.currency),
  });
  const approvedType = isVerification ? "card_verified" : "payment_approved";
  const declinedType = isVerification ? "card_verification_declined" : "payment_declined";
  emitPayment(platform, decided, action, approved ? approvedType : declinedType, fault);
  if (decided.expiresAt !== null) {
    platform.clock.schedule(decided.expiresAt, () => expire(platform, id));
  }
  return { decided, action };
}

function actionFacts({ currency }: Payment, action: Action) {
  const { account, channel, payment, reference, requestedAt } = action;
  return {
    account,
    channel,
    payment,
    reference,
    requestedAt,
    currency,
    action: action.id,
    actionType: action.type,
  };
}

/** Releases the remaining authorized amount, because the authorization has expired (event type `payment_expired`). */
function expire(platform: Platform, id: string): void {
  const payment = platform.payment(id);
  const rest = payment.authorized - payment.captured - payment.voided;
  if (rest === 0) return;
  const expired = platform.put<Payment>(platform.payments, {
    ...payment,
    voided: payment.voided + rest,
    status: payment.captured === 0 ? "Expired" : payment.status,
  });
  emitPayment(platform, expired, null, "payment_expired", null);
  platform.dispatchCaused();
}

export function emitPayment(
  platform: Platform,
  payment: Payment,
  action: Action | null,
  type: string,
  fault: EventFault | null,
): void {
  const { id, account, channel, amount, currency, reference } = payment;
  const data = action
    ? authorizationEventData(platform, payment, action)
    : { id, amount, currency, ...(reference !== null && { reference }) };
  platform.emit(
    { account, channel, subject: id },
    type,
    data,
    eventLinks(platform, payment),
    fault,
  );
}
