import { awaitAuthentication, redirection } from "./authenticate-cardholder.ts";
import { decidePayment, deferCapture, emitPayment, nextResponse } from "./decide-payment.ts";
import { type PaymentOrder, readPaymentOrder } from "./payment-request.ts";
import type { Platform } from "./platform.ts";
import type { Payment } from "./records.ts";
import { acceptedResponse, paymentResponse } from "./render.ts";
import type { Context, Reply } from "./request-context.ts";
import { responseOf } from "./test-values.ts";

/** Requests a payment: `POST /payments`. */
export function requestPayment(context: Context): Reply {
  const { platform, account, eventFault, declinesAfterMs } = context;
  const order = readPaymentOrder(context);
  const payment = platform.addPayment(newPayment(platform, account.id, order));
  if (order.redirects) {
    awaitAuthentication(platform, payment);
    return { status: 202, body: acceptedResponse(platform, payment) };
  }
  if (declinesAfterMs !== null) {
    emitPayment(platform, payment, null, "payment_pending", eventFault);
    context.defer({
      delayMs: declinesAfterMs,
      run: () => void decidePayment(platform, payment.id, responseOf("20005"), eventFault),
    });
    return { status: 202, body: acceptedResponse(platform, payment) };
  }
  const response = nextResponse(
    platform,
    payment,
    order.external !== null || order.tokenEci !== null,
  );
  if (response.code === "20154" && canUpgrade(context, order)) {
    const upgraded = platform.put<Payment>(platform.payments, {
      ...payment,
      ...redirection(platform, order),
    });
    awaitAuthentication(platform, upgraded);
    return { status: 202, body: acceptedResponse(platform, upgraded, "sca_retry") };
  }
  const { decided, action } = decidePayment(platform, payment.id, response, eventFault);
  deferCapture(context, decided);
  return { status: 201, body: paymentResponse(platform, decided, action) };
}

/**
 * Returns whether a payment that needs authentication is continued with a redirect. This is the default for payments
 * whose cardholder is present (checkout.com/docs/payments/authenticate-payments/manage-sca-retries).
 */
function canUpgrade({ account }: Context, order: PaymentOrder): boolean {
  const hasUrls = order.successUrl !== null && order.failureUrl !== null;
  const isAllowed = account.upgradesSoftDeclines && order.allowsUpgrade;
  return isAllowed && hasUrls && !order.merchantInitiated;
}

function newPayment(platform: Platform, account: string, order: PaymentOrder): Payment {
  const { customer, external, redirects, tokenEci } = order;
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
    eci: external?.eci ?? tokenEci,
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
