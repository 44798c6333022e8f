import type { DisputeReason } from "@florin/contract/dispute.ts";
import {
  type EvidenceField,
  type EvidenceTexts,
  evidenceLabels,
} from "@florin/contract/evidence-fields.ts";

export const evidenceFields = Object.keys(evidenceLabels) as EvidenceField[];

/** The sections of the form, in the order of the document. */
export const evidenceSections: readonly (readonly [title: string, fields: EvidenceField[]])[] = [
  [
    "Customer",
    ["customer_name", "customer_email_address", "billing_address", "customer_purchase_ip"],
  ],
  ["Payment", ["verification_results", "receipt", "earlier_payments"]],
  [
    "Delivery",
    ["shipping_address", "shipping_carrier", "shipping_tracking_number", "shipping_date"],
  ],
  [
    "Product and policies",
    [
      "product_description",
      "customer_communication",
      "access_activity_log",
      "refund_policy",
      "cancellation_policy",
      "duplicate_charge_explanation",
      "uncategorized_text",
    ],
  ],
];

const delivery: readonly EvidenceField[] = [
  "shipping_address",
  "shipping_carrier",
  "shipping_tracking_number",
  "shipping_date",
];

/** The evidence fields that matter most for each dispute reason. */
const mostRelevant: Readonly<Record<DisputeReason, readonly EvidenceField[]>> = {
  fraudulent: [
    "verification_results",
    "earlier_payments",
    "customer_purchase_ip",
    "billing_address",
    "access_activity_log",
    ...delivery,
  ],
  product_not_received: [...delivery, "access_activity_log", "customer_communication"],
  product_unacceptable: ["product_description", "refund_policy", "customer_communication"],
  duplicate: ["duplicate_charge_explanation", "product_description", "receipt"],
  subscription_canceled: ["cancellation_policy", "access_activity_log", "customer_communication"],
  credit_not_processed: ["refund_policy", "customer_communication"],
  unrecognized: ["receipt", "product_description", "customer_name", "access_activity_log"],
  general: ["product_description", "customer_communication"],
};

export function isRecommended(field: EvidenceField, reason: DisputeReason): boolean {
  return mostRelevant[reason].includes(field);
}

const oneLine: ReadonlySet<EvidenceField> = new Set<EvidenceField>([
  "customer_name",
  "customer_email_address",
  "customer_purchase_ip",
  "shipping_carrier",
  "shipping_tracking_number",
  "shipping_date",
]);

export const isOneLine = (field: EvidenceField): boolean => oneLine.has(field);

/** Returns the evidence fields that are not empty, with their texts, in the order of the document. */
export function filledFields(texts: EvidenceTexts): (readonly [EvidenceField, string])[] {
  return evidenceFields.flatMap((field) => {
    const text = texts[field];
    return text === undefined ? [] : [[field, text] as const];
  });
}

const reasonTexts: Readonly<Record<Exclude<DisputeReason, "general">, string>> = {
  fraudulent: "they did not make this payment",
  product_not_received: "they did not receive the product",
  product_unacceptable: "the product was not as described",
  duplicate: "they were charged twice for the same purchase",
  subscription_canceled: "they canceled before this payment",
  credit_not_processed: "they did not receive a promised refund",
  unrecognized: "they do not recognize this payment",
};

/** Returns a sentence about the reason of a dispute. In an inquiry, the issuer only requests information. */
export function disputeReasonText(reason: DisputeReason, isInquiry: boolean): string {
  if (reason === "general") {
    return isInquiry
      ? "The issuer requests information and gives no specific reason."
      : "The cardholder gave no specific reason.";
  }
  const words = `the cardholder says that ${reasonTexts[reason]}.`;
  return isInquiry ? `The issuer requests information: ${words}` : words.replace("the", "The");
}
