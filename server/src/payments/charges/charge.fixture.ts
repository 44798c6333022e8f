import { newId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { ProcessingCharge } from "./charge.ts";

/** The card of charges and verifications in tests. */
export const visaCard: ProcessingCharge["card"] = {
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  funding: "credit",
  country: "US",
  networks: { available: ["visa"], preferred: null },
  fingerprint: "Bb5JGCHg2VNpDJmE",
};

/** Returns a charge in `processing` with the given fields, and defaults for the others. */
export function processingCharge(
  scope: Scope,
  now: Date,
  fields: Partial<ProcessingCharge> = {},
): ProcessingCharge {
  return {
    id: newId("ch", now),
    scope,
    version: 1,
    status: "processing",
    pendingReason: null,
    reversalPending: false,
    price: { amountMinor: 1999, currency: "usd" },
    captureMethod: "automatic",
    processor: "simulator",
    assignmentId: null,
    acquirerReference: null,
    acquirerDetails: null,
    paymentMethodId: "pm_card_visa",
    card: visaCard,
    checks: null,
    threeDSecure: null,
    networkTransactionId: null,
    newDetails: null,
    customerId: null,
    checkoutSessionId: null,
    decisionId: null,
    risk: { outcome: "approve", score: 10, reasons: [], details: null },
    description: null,
    statementDescriptor: null,
    offSession: false,
    returnUrl: null,
    clientReferenceId: null,
    metadata: {},
    request: { id: newId("req", now), idempotencyKey: null },
    inquiries: 0,
    inquiryRestarts: 0,
    ...fields,
  };
}
