import { decidePayment, deferCapture, nextResponse } from "./decide-payment.ts";
import { timestamp } from "./events.ts";
import { isApproved } from "./payment.ts";
import { newAction } from "./payment-actions.ts";
import type { PaymentOrder } from "./payment-request.ts";
import type { Platform } from "./platform.ts";
import type { Action, Payment } from "./records.ts";
import { authenticationUrl, eventLinks } from "./render.ts";
import { responseOf } from "./test-values.ts";

/** The time to authenticate: "Initial 3DS transaction not completed within 15 minutes" (response code 20152). */
const authenticationMs = 15 * 60 * 1000;

/** Returns the fields of a payment whose cardholder is redirected. */
export function redirection(
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

/** Declines the payment if the cardholder has not authenticated in time. */
export function awaitAuthentication(platform: Platform, { id }: Payment): void {
  platform.clock.schedule(platform.clock.nowMs() + authenticationMs, () => {
    const payment = platform.payment(id);
    if (payment.status !== "Pending") return;
    failAuthentication(platform, payment, "20152");
    platform.dispatchCaused();
  });
}

/** Returns the payment whose cardholder is on the page of this session. */
export function redirectedPayment(platform: Platform, session: string): Payment | null {
  const found = [...platform.payments.values()].find(
    ({ redirect, status }) => redirect?.session === session && status === "Pending",
  );
  return found ?? null;
}

/**
 * Records the result of the cardholder's authentication and decides the payment. Returns the URL to which the
 * cardholder is redirected, with the session ID in `cko-session-id` (nas-openapi.json, description of
 * `GET /payments/{id}`).
 */
export function completeAuthentication(
  platform: Platform,
  payment: Payment,
  isAuthenticated: boolean,
): string {
  const decided = isAuthenticated
    ? authorizeAuthenticated(platform, payment)
    : failAuthentication(platform, payment, "20151");
  const { redirect } = payment;
  const target = isApproved(decided) ? redirect?.successUrl : redirect?.failureUrl;
  const url = new URL(target ?? "about:blank");
  url.searchParams.set("cko-session-id", redirect?.session ?? "");
  return url.href;
}

function authorizeAuthenticated(platform: Platform, payment: Payment): Payment {
  const eci = payment.card.scheme === "MASTERCARD" ? "02" : "05";
  const authenticated = platform.put<Payment>(platform.payments, {
    ...payment,
    eci,
    authentication: payment.authentication && {
      ...payment.authentication,
      result: "Y",
      eci,
      cryptogram: "AAABAVIREQAAAAAAAAAAAAAAAAA=",
      xid: crypto.randomUUID(),
      version: "2.2.0",
    },
  });
  const response = nextResponse(platform, authenticated, true);
  const { decided } = decidePayment(platform, payment.id, response, null);
  const { clock } = platform;
  deferCapture(
    {
      platform,
      eventFault: null,
      defer: ({ delayMs, run }) =>
        clock.schedule(clock.nowMs() + delayMs, () => {
          run();
          platform.dispatchCaused();
        }),
    },
    decided,
  );
  return decided;
}

/**
 * Declines a payment without a request to the issuer
 * (checkout.com/docs/workflows/webhook-event-types/payment_authentication_failed).
 */
function failAuthentication(platform: Platform, payment: Payment, code: string): Payment {
  const response = responseOf(code);
  const failed = platform.put<Payment>(platform.payments, {
    ...payment,
    response,
    status: "Declined",
    authentication: payment.authentication && {
      ...payment.authentication,
      result: "N",
      version: "2.2.0",
    },
  });
  const { id, account, channel, amount, currency, reference, metadata } = failed;
  const type = amount === 0 ? "Card Verification" : "Authorization";
  const action = platform.put<Action>(platform.actions, {
    ...newAction(platform, failed, type, amount, { reference, metadata }),
    state: "declined",
    response,
    processedAt: platform.clock.nowMs(),
  });
  const data = {
    id,
    action_id: action.id,
    processed_on: timestamp(platform.clock.nowMs()),
    ...(reference !== null && { reference }),
    amount,
    currency,
    response_code: response.code,
    response_summary: response.summary,
    "3ds": {
      authentication_id: failed.redirect?.session,
      version: "2.2.0",
      challenged: true,
      redirect_url: authenticationUrl(platform, failed),
    },
    metadata,
  };
  const source = { account, channel, subject: id };
  platform.emit(source, "payment_authentication_failed", data, eventLinks(platform, failed));
  return failed;
}
