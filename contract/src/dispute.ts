import Type, { type Static } from "typebox";
import { amount, amountToMove, currency } from "./amount.ts";
import { documentMediaTypes } from "./document-media-types.ts";
import type { EvidenceField } from "./evidence-fields.ts";
import { id, idParameter, idPattern } from "./ids.ts";
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

/** The maximum size of an uploaded file. Adyen accepts at most 2 MB for the texts and all files together. */
export const maxDisputeFileBytes = 1.5 * 1024 * 1024;
/** The maximum number of files of a dispute. */
export const maxDisputeFiles = 10;
/**
 * The maximum number of files of an account in test mode. It limits the storage of an account, because anyone who signs
 * up can open any number of disputes in test mode.
 */
export const maxTestDisputeFiles = 100;

const evidenceTexts: Readonly<Record<EvidenceField, string>> = {
  uncategorized_text: "Facts that fit no other field.",
  product_description: "Description of the product.",
  customer_name: "Name of the customer.",
  customer_email_address: "Email address of the customer.",
  billing_address: "Billing address of the customer.",
  customer_purchase_ip: "IP address from which the customer paid.",
  verification_results:
    "Results of 3-D Secure, and of the issuer's checks of the address and the security code.",
  receipt: "Receipt of the payment, with its time, amount, items and card.",
  earlier_payments: "Earlier payments with the same card that were not disputed.",
  customer_communication: "Messages from the customer and the replies to them.",
  shipping_address: "Address to which the order was delivered.",
  shipping_carrier: "Carrier that delivered the order.",
  shipping_tracking_number: "Tracking number of the delivery.",
  shipping_date: "Date of the delivery.",
  access_activity_log: "Log of the customer's use of the product.",
  refund_policy: "Refund terms that the customer accepted.",
  cancellation_policy: "Cancellation terms that the customer accepted.",
  duplicate_charge_explanation:
    "Explanation of the difference between this charge and the other one.",
};

const textFields = Object.fromEntries(
  Object.entries(evidenceTexts).map(([name, words]) => [name, Type.Optional(text(20_000, words))]),
) as { [Name in EvidenceField]: ReturnType<typeof Type.Optional<ReturnType<typeof text>>> };

const evidenceFields = {
  ...textFields,
  files: Type.Optional(
    Type.Array(idParameter("file", "Uploaded file of the dispute."), {
      minItems: 1,
      maxItems: maxDisputeFiles,
      uniqueItems: true,
      description:
        "Uploaded files of the dispute, in the order in which the issuer receives them after the texts.",
    }),
  ),
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
        "True while the issuer only requests information and no money has moved. The inquiry can become a chargeback, even after a response.",
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
          "Reason why your last response was not accepted: the acquirer rejected it, or is no longer connected. Correct the evidence and submit it again before `evidence_due_by`, unless the reason states another next step. Null if the response was not rejected.",
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

/** The query parameters of an upload. The body of the request is the file itself. */
export const UploadDisputeFile = Type.Object(
  {
    dispute_id: idParameter("dp", "Dispute for which the file is evidence."),
    file_name: text(120, "Name of the file.", "delivery.pdf"),
  },
  { additionalProperties: false },
);
export type UploadDisputeFile = Static<typeof UploadDisputeFile>;

/** A file that was uploaded as evidence, without its content. */
export const DisputeFile = Type.Object(
  {
    ...objectFields("file", "dispute_file"),
    dispute_id: id("dp", "Dispute of the file."),
    file_name: Type.String({ description: "Name of the file." }),
    media_type: Type.Enum([...documentMediaTypes], { description: "Media type of the file." }),
    size: Type.Integer({ minimum: 1, description: "Size of the file, in bytes." }),
    pages: Type.Integer({
      minimum: 1,
      description: "Number of pages that the file adds to the evidence. An image is one page.",
    }),
  },
  { description: "File that was uploaded as evidence for a dispute." },
);
export type DisputeFile = Static<typeof DisputeFile>;

export const ListDisputeFiles = listQuery({
  dispute_id: Type.Optional(idParameter("dp", "Dispute to filter by.")),
});
export type ListDisputeFiles = Static<typeof ListDisputeFiles>;

/** The body of a response that contains a file. The body is not JSON. */
export const FileContent = Type.String({ description: "Content of the file." });

export const DisputeFileDeleted = Type.Object(
  {
    id: Type.String({ pattern: idPattern("file"), description: "ID of the deleted file." }),
    object: Type.Literal("dispute_file", { description: "Always `dispute_file`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted file." },
);
export type DisputeFileDeleted = Static<typeof DisputeFileDeleted>;

/** Evidence that is stored and not yet submitted. */
export const EvidenceDraft = Type.Object(
  {
    object: Type.Literal("evidence_draft", { description: "Always `evidence_draft`." }),
    livemode: Type.Boolean({ description: "True in live mode." }),
    dispute_id: id("dp", "Dispute of the draft."),
    version: Type.Integer({
      minimum: 0,
      description: "Number of times that the draft was saved. 0 if there is no draft.",
    }),
    updated: nullable(unixTime("Time at which the draft was last saved", "Null without a draft.")),
    evidence: Type.Object(textFields, {
      description:
        "Texts of the draft. Without a draft, the submitted evidence that was not accepted, if any.",
    }),
    suggested: Type.Object(textFields, {
      description: "Texts that the service suggests from the payment and the customer.",
    }),
  },
  { description: "Evidence for a dispute that is stored and not yet submitted." },
);
export type EvidenceDraft = Static<typeof EvidenceDraft>;

export const SaveEvidenceDraft = Type.Object(
  {
    version: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "`version` of the draft that you have read. If the draft was saved in the meantime, the request is rejected.",
    }),
    evidence: Type.Object(textFields, {
      additionalProperties: false,
      description: "Texts of the draft, which replace the earlier ones.",
    }),
  },
  { additionalProperties: false },
);
export type SaveEvidenceDraft = Static<typeof SaveEvidenceDraft>;

const disputeFilters = {
  charge_id: Type.Optional(idParameter("ch", "Charge to filter by.")),
  status: oneOrMore(disputeStatuses, "Status to filter by."),
};

export const ListDisputes = listQuery({
  ...disputeFilters,
  order_by: Type.Optional(
    Type.Enum(["created", "evidence_due_by"], {
      default: "created",
      description:
        "`created`: newest first. `evidence_due_by`: only disputes that need a response, the earliest deadline first.",
    }),
  ),
});
export type ListDisputes = Static<typeof ListDisputes>;

export const DownloadDisputes = downloadQuery(disputeFilters);
export type DownloadDisputes = Static<typeof DownloadDisputes>;

export const CountDisputes = downloadQuery(disputeFilters);
export type CountDisputes = Static<typeof CountDisputes>;

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
