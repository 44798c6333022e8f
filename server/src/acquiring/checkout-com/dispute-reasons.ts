import type { DisputeReason } from "@florin/contract/dispute.ts";

/** Our reason for each category of a dispute (`category` of the schema `Dispute`). */
const disputeCategories: Readonly<Record<string, DisputeReason>> = {
  fraudulent: "fraudulent",
  unrecognized: "unrecognized",
  canceled_recurring: "subscription_canceled",
  product_service_not_received: "product_not_received",
  not_as_described: "product_unacceptable",
  credit_not_issued: "credit_not_processed",
  duplicate: "duplicate",
  incorrect_amount: "general",
  general: "general",
};

export function disputeReasonOf(category: string | null): DisputeReason {
  return category !== null && Object.hasOwn(disputeCategories, category)
    ? (disputeCategories[category] as DisputeReason)
    : "general";
}
