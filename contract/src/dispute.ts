import Type, { type Static } from "typebox";
import { amount, amountToMove, currency } from "./amount.ts";
import { id, idParameter } from "./ids.ts";
import { downloadQuery, listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
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

/** The text fields of the evidence. The issuer receives all of them. */
const evidenceTexts = {
  uncategorized_text: "Facts that fit no other field.",
  product_description: "Description of the product.",
  customer_name: "Name of the customer.",
  customer_email_address: "Email address of the customer.",
  customer_communication: "Messages from the customer and the replies to them.",
  shipping_carrier: "Carrier that delivered the order.",
  shipping_tracking_number: "Tracking number of the delivery.",
  shipping_date: "Date of the delivery.",
  access_activity_log: "Log of the customer's use of the product.",
  refund_policy: "Refund terms that the customer accepted.",
  cancellation_policy: "Cancellation terms that the customer accepted.",
  duplicate_charge_explanation:
    "Explanation of the difference between this charge and the other one.",
} as const;

const evidenceFields = Object.fromEntries(
  Object.entries(evidenceTexts).map(([name, words]) => [name, Type.Optional(text(20_000, words))]),
) as {
  [Name in keyof typeof evidenceTexts]: ReturnType<typeof Type.Optional<ReturnType<typeof text>>>;
};

/** A cardholder's objection to a charge, which the network decides. */
export const Dispute = Type.Object(
  {
    ...objectFields("dp", "dispute"),
    version: version(),
    charge_id: id("ch", "Disputed charge."),
    amount: amount("Disputed amount."),
    currency: currency(),
    status: Type.Enum([...disputeStatuses], { description: "Status of the dispute." }),
    reason: Type.Enum([...disputeReasons], { description: "Reason that the cardholder gave." }),
    is_inquiry: Type.Boolean({
      description:
        "True while the issuer only requests information and no money has moved. Without a response, the inquiry can become a chargeback.",
    }),
    funds_withdrawn: Type.Boolean({
      description:
        "True if the amount is deducted from your balance: while the dispute is open, and after it is lost.",
    }),
    evidence_due_by: unixTime("Time until which evidence can be submitted"),
    evidence: nullable(
      Type.Object(evidenceFields, { description: "Submitted evidence. Null until you submit it." }),
    ),
    response_problem: nullable(
      Type.String({
        description:
          "Reason why the acquirer rejected your last response. Correct the evidence and submit it again before `evidence_due_by`. Null if no response was rejected.",
      }),
    ),
    balance_transaction_id: nullable(
      id("txn", "Balance transaction that deducted the amount and the fee."),
    ),
    reversal_balance_transaction_id: nullable(
      id("txn", "Balance transaction that returned the amount after a won dispute."),
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

const disputeFilters = {
  charge_id: Type.Optional(idParameter("ch", "Charge to filter by.")),
  status: oneOrMore(disputeStatuses, "Status to filter by."),
};

export const ListDisputes = listQuery(disputeFilters);
export type ListDisputes = Static<typeof ListDisputes>;

export const DownloadDisputes = downloadQuery(disputeFilters);
export type DownloadDisputes = Static<typeof DownloadDisputes>;

/** Opens a dispute in test mode, on behalf of the card network. */
export const OpenTestDispute = Type.Object(
  {
    charge_id: idParameter("ch", "Charge to dispute."),
    amount: Type.Optional(amountToMove("Amount to dispute. By default, the remaining amount.")),
    reason: Type.Optional(
      Type.Enum([...disputeReasons], {
        default: "general",
        description: "Reason of the cardholder.",
      }),
    ),
    is_inquiry: Type.Optional(
      Type.Boolean({
        default: false,
        description: "True for an inquiry, which moves no money yet.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type OpenTestDispute = Static<typeof OpenTestDispute>;

export const CloseTestDispute = Type.Object(
  {
    outcome: Type.Enum(["won", "lost"], { description: "Decision of the card network." }),
  },
  { additionalProperties: false },
);
export type CloseTestDispute = Static<typeof CloseTestDispute>;
