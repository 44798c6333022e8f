import { newId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { visaCard } from "../charges/charge.fixture.ts";
import type { ProcessingVerification } from "./card-verification.ts";

/** Returns a verification whose acquirer has not responded yet. */
export function processingVerification(
  scope: Scope,
  now: Date,
  fields: Partial<ProcessingVerification> = {},
): ProcessingVerification {
  return {
    id: newId("cv", now),
    scope,
    version: 1,
    status: "processing",
    price: { amountMinor: 0, currency: "usd" },
    processor: scope.livemode ? "adyen" : "simulator",
    assignmentId: null,
    acquirerReference: null,
    paymentMethodId: newId("pm", now),
    card: visaCard,
    checks: null,
    threeDSecure: null,
    customerId: newId("cus", now),
    checkoutSessionId: newId("cs", now),
    risk: { outcome: "approve", score: 10, reasons: [], details: null },
    requestId: newId("req", now),
    ...fields,
  };
}
