import Type, { type Static } from "typebox";
import { amount, amountToMove, currency } from "./amount.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";
import { text } from "./text.ts";

export const disputeStatuses = ["needs_response", "under_review", "won", "lost"] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const disputeReasons = [
  "fraudulent",
  "product_not_received",
  "product_unacceptable",
  "duplicate",
  "subscription_canceled",
  "credit_not_processed",
  "unrecognized",
  "general",
] as const;
export type DisputeReason = (typeof disputeReasons)[number];

/** The merchant's texts of the evidence, all of which the issuer receives. */
const evidenceTexts = {
  uncategorized_text: "Anything that fits nowhere else.",
  product_description: "What was sold.",
  customer_name: "The customer's name.",
  customer_email_address: "The customer's email address.",
  customer_communication: "What the customer wrote, and what was answered.",
  shipping_carrier: "Who delivered it.",
  shipping_tracking_number: "The number under which the delivery was followed.",
  shipping_date: "When it was delivered.",
  access_activity_log: "How the customer used what was sold.",
  refund_policy: "The terms of refunds that the customer agreed to.",
  cancellation_policy: "The terms of cancellation that the customer agreed to.",
  duplicate_charge_explanation: "Why this charge is not the other one.",
} as const;

const evidenceFields = Object.fromEntries(
  Object.entries(evidenceTexts).map(([name, words]) => [name, Type.Optional(text(20_000, words))]),
) as {
  [Name in keyof typeof evidenceTexts]: ReturnType<typeof Type.Optional<ReturnType<typeof text>>>;
};

/** A cardholder's objection to a charge, which the network decides. */
export const Dispute = Type.Object(
  {
    ...objectFacts("dp", "dispute"),
    version: version(),
    charge_id: id("ch", "The charge that is disputed."),
    amount: amount("What is disputed."),
    currency: currency(),
    status: Type.Enum([...disputeStatuses], { description: "Where the dispute stands." }),
    reason: Type.Enum([...disputeReasons], { description: "What the cardholder says." }),
    is_inquiry: Type.Boolean({
      description:
        "True while the bank only asks and no money has been taken. Unanswered, it becomes a dispute.",
    }),
    funds_withdrawn: Type.Boolean({
      description:
        "Whether the amount is out of your balance: while it is open, and when it is lost.",
    }),
    evidence_due_by: unixTime("Until when evidence can be handed in"),
    evidence: nullable(
      Type.Object(evidenceFields, { description: "What you handed in; null until then." }),
    ),
    balance_transaction_id: nullable(
      id("txn", "The entry in the balance that took the money and the fee."),
    ),
    reversal_balance_transaction_id: nullable(
      id("txn", "The entry in the balance that brought the money back, when it was won."),
    ),
  },
  { description: "A cardholder's objection to a charge." },
);
export type Dispute = Static<typeof Dispute>;

export const SubmitEvidence = Type.Object(evidenceFields, {
  additionalProperties: false,
  examples: [
    {
      product_description: "A blue mug.",
      shipping_carrier: "UPS",
      shipping_tracking_number: "1Z999AA10123456784",
      shipping_date: "2026-01-05",
    },
  ],
});
export type SubmitEvidence = Static<typeof SubmitEvidence>;

export const ListDisputes = listQuery({
  charge_id: Type.Optional(idParameter("ch", "Only those of this charge.")),
  status: oneOrMore(disputeStatuses, "Only those in this status."),
});
export type ListDisputes = Static<typeof ListDisputes>;

/** Test mode: opens a dispute as the network would. */
export const OpenTestDispute = Type.Object(
  {
    charge_id: idParameter("ch", "The charge to dispute."),
    amount: Type.Optional(amountToMove("What to dispute; all that is left, when left out.")),
    reason: Type.Optional(
      Type.Enum([...disputeReasons], { default: "general", description: "What is said." }),
    ),
    is_inquiry: Type.Optional(
      Type.Boolean({ default: false, description: "Only to ask, and take no money yet." }),
    ),
  },
  { additionalProperties: false },
);
export type OpenTestDispute = Static<typeof OpenTestDispute>;

export const CloseTestDispute = Type.Object(
  {
    outcome: Type.Enum(["won", "lost"], { description: "What the card network decides." }),
  },
  { additionalProperties: false },
);
export type CloseTestDispute = Static<typeof CloseTestDispute>;
