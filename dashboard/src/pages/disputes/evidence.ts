import type { DisputeReason, SubmitEvidence } from "@florin/contract/dispute.ts";

type EvidenceName = keyof SubmitEvidence;

/** The labels of the evidence fields. */
export const evidenceLabels: Readonly<Record<EvidenceName, string>> = {
  product_description: "Product description",
  customer_name: "Customer name",
  customer_email_address: "Customer email",
  customer_communication: "Communication with the customer",
  shipping_carrier: "Shipping carrier",
  shipping_tracking_number: "Tracking number",
  shipping_date: "Delivery date",
  access_activity_log: "Access or activity log",
  refund_policy: "Refund policy",
  cancellation_policy: "Cancellation policy",
  duplicate_charge_explanation: "Why this payment is not a duplicate",
  uncategorized_text: "Additional information",
};

const delivery: readonly EvidenceName[] = [
  "shipping_carrier",
  "shipping_tracking_number",
  "shipping_date",
];
const customerIdentity: readonly EvidenceName[] = ["customer_name", "customer_email_address"];

/** The most relevant evidence fields for each dispute reason. The form shows the other fields on request. */
const mostRelevant: Readonly<Record<DisputeReason, readonly EvidenceName[]>> = {
  fraudulent: [...customerIdentity, "access_activity_log", ...delivery, "customer_communication"],
  product_not_received: [...delivery, "access_activity_log", "customer_communication"],
  product_unacceptable: ["product_description", "refund_policy", "customer_communication"],
  duplicate: ["duplicate_charge_explanation", "product_description"],
  subscription_canceled: ["cancellation_policy", "access_activity_log", "customer_communication"],
  credit_not_processed: ["refund_policy", "customer_communication"],
  unrecognized: ["product_description", ...customerIdentity, "access_activity_log"],
  general: ["product_description", "customer_communication"],
};

const long: ReadonlySet<EvidenceName> = new Set<EvidenceName>([
  "product_description",
  "customer_communication",
  "access_activity_log",
  "refund_policy",
  "cancellation_policy",
  "duplicate_charge_explanation",
  "uncategorized_text",
]);

export const isLongText = (name: EvidenceName): boolean => long.has(name);

export function evidenceFor(reason: DisputeReason): {
  readonly first: readonly EvidenceName[];
  readonly rest: readonly EvidenceName[];
} {
  const first = mostRelevant[reason];
  const all = Object.keys(evidenceLabels) as EvidenceName[];
  return { first, rest: all.filter((name) => !first.includes(name)) };
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
