import type { DisputeReason, SubmitEvidence } from "@florin/contract/dispute.ts";

type EvidenceName = keyof SubmitEvidence;

/** The labels of the evidence fields. */
export const evidenceLabels: Readonly<Record<EvidenceName, string>> = {
  product_description: "What was sold",
  customer_name: "The customer’s name",
  customer_email_address: "The customer’s email address",
  customer_communication: "What the customer wrote, and what you answered",
  shipping_carrier: "Who delivered it",
  shipping_tracking_number: "Tracking number",
  shipping_date: "When it was delivered",
  access_activity_log: "How the customer used it",
  refund_policy: "Your terms of refunds",
  cancellation_policy: "Your terms of cancellation",
  duplicate_charge_explanation: "Why this payment is not the other one",
  uncategorized_text: "Anything else",
};

const delivery: readonly EvidenceName[] = [
  "shipping_carrier",
  "shipping_tracking_number",
  "shipping_date",
];
const who: readonly EvidenceName[] = ["customer_name", "customer_email_address"];

/** The most convincing evidence for each reason. The other fields can be submitted as well. */
const convincing: Readonly<Record<DisputeReason, readonly EvidenceName[]>> = {
  fraudulent: [...who, "access_activity_log", ...delivery, "customer_communication"],
  product_not_received: [...delivery, "access_activity_log", "customer_communication"],
  product_unacceptable: ["product_description", "refund_policy", "customer_communication"],
  duplicate: ["duplicate_charge_explanation", "product_description"],
  subscription_canceled: ["cancellation_policy", "access_activity_log", "customer_communication"],
  credit_not_processed: ["refund_policy", "customer_communication"],
  unrecognized: ["product_description", ...who, "access_activity_log"],
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

export const isLong = (name: EvidenceName): boolean => long.has(name);

export function evidenceFor(reason: DisputeReason): {
  readonly first: readonly EvidenceName[];
  readonly rest: readonly EvidenceName[];
} {
  const first = convincing[reason];
  const all = Object.keys(evidenceLabels) as EvidenceName[];
  return { first, rest: all.filter((name) => !first.includes(name)) };
}

const said: Readonly<Record<Exclude<DisputeReason, "general">, string>> = {
  fraudulent: "they did not make this payment",
  product_not_received: "they did not get what they paid for",
  product_unacceptable: "what they got is not what was promised",
  duplicate: "they were charged twice for one thing",
  subscription_canceled: "they had cancelled before this payment",
  credit_not_processed: "they were promised money back and did not get it",
  unrecognized: "they do not recognise this payment",
};

/**
 * Returns the reason of a dispute in words. In an inquiry, the issuer requests information and nothing is disputed
 * yet.
 */
export function whatIsSaid(reason: DisputeReason, isInquiry: boolean): string {
  if (reason === "general") {
    return isInquiry
      ? "The cardholder’s bank asks, and gives no particular reason."
      : "The cardholder gives no particular reason.";
  }
  const words = `the cardholder says that ${said[reason]}.`;
  return isInquiry ? `The bank asks: ${words}` : words.replace("the", "The");
}
