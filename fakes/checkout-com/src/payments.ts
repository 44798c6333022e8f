import { invalid } from "./api-error.ts";
import type { EventFault } from "./faults.ts";
import { findPayment } from "./find-payment.ts";
import { authorizationFees, cardVerificationFees, record } from "./ledger.ts";
import { pageOf } from "./paging.ts";
import { isApproved } from "./payment.ts";
import { executeAction, newAction } from "./payment-actions.ts";
import { type PaymentOrder, readPaymentOrder } from "./payment-request.ts";
import type { Platform } from "./platform.ts";
import type { Action, IssuerResponse, Payment } from "./records.ts";
import {
  acceptedResponse,
  authorizationEventData,
  eventLinks,
  paymentAction,
  paymentDetails,
  paymentResponse,
} from "./render.ts";
import type { Context, Reply } from "./request-context.ts";
import { responseOf, testResponseOf } from "./test-values.ts";

/**
 * The lifetime of an authorization. A payment that is not captured within seven days expires
 * (checkout.com/docs/payments/manage-payments/capture-a-payment).
 */
const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000;

/** Requests a payment: `POST /payments`. */
export function requestPayment(context: Context): Reply {
  const { platform, account } = context;
  const order = readPaymentOrder(context);
  const payment = platform.addPayment(newPayment(platform, account.id, order));
  if (order.redirects) return { status: 202, body: acceptedResponse(platform, payment) };
  const { declinesAfterMs } = context;
  if (declinesAfterMs !== null) {
    emit(platform, payment, null, "payment_pending", context.eventFault);
    context.defer({
      delayMs: declinesAfterMs,
      run: () => void decide(platform, payment.id, responseOf("20005"), context.eventFault),
    });
    return { status: 202, body: acceptedResponse(platform, payment) };
  }
  const response = nextResponse(platform, payment, order.external !== null);
  if (response.code === "20154" && canUpgrade(context, order)) {
    const upgraded = platform.put<Payment>(platform.payments, {
      ...payment,
      ...redirection(platform, order),
    });
    return { status: 202, body: acceptedResponse(platform, upgraded, "sca_retry") };
  }
  const { decided, action } = decide(platform, payment.id, response, context.eventFault);
  deferCapture(context, decided);
  return { status: 201, body: paymentResponse(platform, decided, action) };
}

/**
 * Returns whether a payment that needs authentication is continued with a redirect
 * (checkout.com/merchant-communications/increase-transaction-success-in-sca-regions-with-automatic-soft-decline-retries).
 */
function canUpgrade({ account }: Context, order: PaymentOrder): boolean {
  const hasUrls = order.successUrl !== null && order.failureUrl !== null;
  return account.upgradesSoftDeclines && hasUrls && !order.merchantInitiated;
}

/** Returns the fields of a payment whose cardholder is redirected. */
function redirection(
  platform: Platform,
  order: PaymentOrder,
): Pick<Payment, "authentication" | "redirect"> {
  const { exemption, successUrl, failureUrl } = order;
  const unknown = { result: null, eci: null, cryptogram: null, xid: null, version: null };
  return {
    authentication: { ...unknown, kind: "own", exemption },
    redirect: { session: platform.newId("sid"), successUrl, failureUrl },
  };
}

/** Captures an approved payment automatically unless the request has `capture: false`. */
function deferCapture(context: Pick<Context, "platform" | "eventFault" | "defer">, paid: Payment) {
  if (!paid.capture || paid.status !== "Authorized") return;
  const { platform, eventFault } = context;
  const { amount, reference, metadata } = paid;
  const capture = newAction(platform, paid, "Capture", amount, { reference, metadata });
  context.defer({
    delayMs: platform.processingMs,
    run: () => executeAction(platform, capture.id, null, eventFault),
  });
}

function newPayment(platform: Platform, account: string, order: PaymentOrder): Payment {
  const { customer, external, redirects } = order;
  return {
    id: platform.newId("pay"),
    account,
    channel: order.channel,
    reference: order.reference,
    amount: order.amount,
    currency: order.currency,
    capture: order.capture,
    status: "Pending",
    response: null,
    authCode: null,
    schemeId: null,
    eci: external?.eci ?? null,
    card: order.card,
    paymentType: order.paymentType,
    merchantInitiated: order.merchantInitiated,
    stored: order.stored,
    previousPaymentId: order.previousPaymentId,
    billingDescriptor: order.billingDescriptor,
    metadata: order.metadata,
    customer: customer && {
      id: platform.newId("cus"),
      ...(customer.email !== null && { email: customer.email }),
      ...(customer.name !== null && { name: customer.name }),
    },
    ...(redirects ? redirection(platform, order) : { authentication: external, redirect: null }),
    requestedAt: platform.clock.nowMs(),
    expiresAt: null,
    retrievalReferenceNumber: platform.newDigits(12),
    acquirerTransactionId: platform.newDigits(21),
    authorized: 0,
    voided: 0,
    captured: 0,
    refunded: 0,
  };
}

/** Returns the response that the control API has set, or the response that the amount causes. */
function nextResponse(platform: Platform, payment: Payment, isAuthenticated: boolean) {
  const next = platform.nextResponses.get(payment.channel);
  platform.nextResponses.delete(payment.channel);
  return next ?? testResponseOf(payment.amount, payment.currency, isAuthenticated);
}

/** Records the response of the issuer. */
function decide(
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
    schemeId: platform.newDigits(15),
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
  emit(platform, decided, action, approved ? approvedType : declinedType, fault);
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

/** Releases what is still authorized, because the authorization has expired (event type `payment_expired`). */
function expire(platform: Platform, id: string): void {
  const payment = platform.payment(id);
  const rest = payment.authorized - payment.captured - payment.voided;
  if (rest === 0) return;
  const expired = platform.put<Payment>(platform.payments, {
    ...payment,
    voided: payment.voided + rest,
    status: payment.captured === 0 ? "Expired" : payment.status,
  });
  emit(platform, expired, null, "payment_expired", null);
  platform.dispatchCaused();
}

function emit(
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

export function retrievePayment(context: Context, id: string): Reply {
  return { status: 200, body: paymentDetails(context.platform, findPayment(context, id)) };
}

/**
 * Lists the payments with a reference, with the newest first
 * (checkout.com/docs/payments/manage-payments/get-a-list-of-payments).
 */
export function listPayments(context: Context): Reply {
  const { platform, account, query } = context;
  const reference = query.get("reference");
  if (!reference) throw invalid("reference_required");
  const { limit, skip } = pageOf(query, 10);
  const found = platform.paymentsWith(account.id, reference);
  const data = found.slice(skip, skip + limit).map((payment) => paymentDetails(platform, payment));
  return { status: 200, body: { limit, skip, total_count: found.length, data } };
}

/** Lists the processed actions of a payment, with the last processed first (`GET /payments/{id}/actions`). */
export function listActions(context: Context, id: string): Reply {
  const { platform } = context;
  const payment = findPayment(context, id);
  const actions = platform
    .actionsOf(payment.id)
    .filter(({ state }) => state !== "pending")
    .reverse()
    .sort((one, other) => (other.processedAt ?? 0) - (one.processedAt ?? 0));
  return { status: 200, body: actions.map((action) => paymentAction(payment, action)) };
}

/** Returns the payment whose cardholder is on the page of this session. */
export function redirectedPayment(platform: Platform, session: string): Payment | null {
  const found = [...platform.payments.values()].find(
    ({ redirect, status }) => redirect?.session === session && status === "Pending",
  );
  return found ?? null;
}

/**
 * Records the result of the cardholder's authentication and decides the payment. Returns the URL to which the cardholder
 * is redirected, with the session ID in `cko-session-id` (nas-openapi.json, description of `GET /payments/{id}`).
 */
export function completeAuthentication(
  platform: Platform,
  payment: Payment,
  isAuthenticated: boolean,
): string {
  const known = payment.authentication;
  const authenticated = platform.put<Payment>(platform.payments, {
    ...payment,
    eci: isAuthenticated ? (payment.card.scheme === "MASTERCARD" ? "02" : "05") : null,
    authentication: known && {
      ...known,
      result: isAuthenticated ? "Y" : "N",
      eci: isAuthenticated ? (payment.card.scheme === "MASTERCARD" ? "02" : "05") : null,
      cryptogram: isAuthenticated ? "AAABAVIREQAAAAAAAAAAAAAAAAA=" : null,
      xid: isAuthenticated ? crypto.randomUUID() : null,
      version: "2.2.0",
    },
  });
  const { redirect } = payment;
  const response = isAuthenticated
    ? nextResponse(platform, authenticated, true)
    : responseOf("20151");
  const { decided } = decide(platform, payment.id, response, null);
  deferCapture(
    {
      platform,
      eventFault: null,
      defer: ({ delayMs, run }) =>
        platform.clock.schedule(platform.clock.nowMs() + delayMs, () => {
          run();
          platform.dispatchCaused();
        }),
    },
    decided,
  );
  const url = new URL(
    (isApproved(decided) ? redirect?.successUrl : redirect?.failureUrl) ?? "about:blank",
  );
  url.searchParams.set("cko-session-id", redirect?.session ?? "");
  return url.href;
}
