import { Account } from "@florin/contract/account.ts";
import { Payout } from "@florin/contract/balance.ts";
import { Charge } from "@florin/contract/charge.ts";
import { CheckoutSession } from "@florin/contract/checkout-session.ts";
import { customerMessages } from "@florin/contract/customer-messages.ts";
import { Decision } from "@florin/contract/decision.ts";
import { Dispute } from "@florin/contract/dispute.ts";
import type { EventType } from "@florin/contract/event.ts";
import { Refund } from "@florin/contract/refund.ts";
import { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import type { TSchema } from "typebox";
import { exampleOf } from "../../platform/http/reference-example.ts";

type Sample = readonly [schema: TSchema, fields: Readonly<Record<string, unknown>>];

const declined = {
  status: "failed",
  amount_captured: 0,
  failure_code: "card_declined",
  decline_code: "insufficient_funds",
  failure_message: customerMessages.funds,
};

/** The type of the object of each event, and the fields that differ from the example in the API reference. */
export const sampleObjects: Readonly<Record<Exclude<EventType, "ping">, Sample>> = {
  "payment.succeeded": [Charge, { status: "succeeded" }],
  payment_failed: [Charge, declined],
  "payment.requires_action": [Charge, { status: "requires_action", amount_captured: 0 }],
  "payment.authorized": [
    Charge,
    { status: "authorized", capture_method: "manual", amount_captured: 0 },
  ],
  "payment.captured": [Charge, { status: "succeeded", capture_method: "manual" }],
  "payment.canceled": [
    Charge,
    { status: "canceled", capture_method: "manual", amount_captured: 0 },
  ],
  "payment.capture_failed": [Charge, { status: "failed", failure_code: "processing_error" }],
  "checkout_session.completed": [
    CheckoutSession,
    { status: "complete", payment_status: "paid", embed_url: null },
  ],
  "checkout_session.expired": [
    CheckoutSession,
    { status: "expired", payment_status: "unpaid", embed_url: null },
  ],
  "refund.succeeded": [Refund, { status: "succeeded" }],
  "refund.failed": [Refund, { status: "failed" }],
  "dispute.opened": [Dispute, { status: "needs_response" }],
  "dispute.response_rejected": [Dispute, { status: "needs_response" }],
  "dispute.closed": [Dispute, { status: "lost" }],
  "payout.paid": [Payout, { status: "paid" }],
  "payout.failed": [Payout, { status: "failed", failure_code: "account_closed" }],
  "decision.review_opened": [Decision, { outcome: "review" }],
  "account.updated": [Account, {}],
  "webhook_endpoint.disabled": [WebhookEndpoint, { status: "disabled" }],
};

/** Returns an example of the event's object, in test mode. No object with its ID exists. */
export function sampleObject(type: Exclude<EventType, "ping">): object {
  const [schema, fields] = sampleObjects[type];
  const example = exampleOf({}, schema as unknown as Parameters<typeof exampleOf>[1]) as object;
  return { ...example, livemode: false, ...fields };
}
