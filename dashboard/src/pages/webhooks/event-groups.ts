import type { EventType } from "@florin/contract/event.ts";

/** The event types that an endpoint can receive, grouped by subject. */
export const eventGroups: readonly {
  readonly label: string;
  readonly types: readonly EventType[];
}[] = [
  {
    label: "Payments",
    types: [
      "payment.succeeded",
      "payment_failed",
      "payment.requires_action",
      "payment.authorized",
      "payment.captured",
      "payment.canceled",
      "payment.capture_failed",
    ],
  },
  { label: "Checkout", types: ["checkout_session.completed", "checkout_session.expired"] },
  {
    label: "Refunds and disputes",
    types: [
      "refund.succeeded",
      "refund.failed",
      "dispute.opened",
      "dispute.response_rejected",
      "dispute.closed",
    ],
  },
  { label: "Decisions", types: ["decision.review_opened"] },
  { label: "Payouts", types: ["payout.paid", "payout.failed"] },
  { label: "Account", types: ["account.updated", "webhook_endpoint.disabled"] },
];
