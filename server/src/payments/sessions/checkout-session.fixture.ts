import { newId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { CheckoutSession } from "./checkout-session.ts";

/** Returns a new session for 19.99 USD. */
export function newOpenSession(scope: Scope, now: Date): CheckoutSession {
  return {
    id: newId("cs", now),
    scope,
    version: 1,
    status: "open",
    mode: "payment",
    paymentStatus: "unpaid",
    price: { amountMinor: 1999, currency: "usd" },
    captureMethod: "automatic",
    customerId: null,
    clientReferenceId: null,
    details: {
      customer_email: null,
      description: null,
      line_items: null,
      billing_details: null,
      shipping_details: null,
      success_url: null,
      cancel_url: null,
      return_url: null,
      allowed_origins: [],
      save_payment_method: false,
      three_d_secure: "automatic",
      locale: null,
    },
    metadata: {},
    expiresAt: now,
    maxAttempts: 5,
    attempts: 0,
    cardCount: 0,
    chargeId: null,
    verificationId: null,
    paymentMethodId: null,
    lastPaymentError: null,
  };
}
