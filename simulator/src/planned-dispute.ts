import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { TestCard } from "@florin/contract/test-cards.ts";

/** The dispute that the simulated cardholder opens after a payment. */
export type CasePlan = { readonly reason: DisputeReason; readonly isInquiry: boolean };

/** Returns the dispute that a test card causes, or null. */
export function casePlanOf({ afterwards }: TestCard): CasePlan | null {
  switch (afterwards) {
    case "dispute_fraudulent":
      return { reason: "fraudulent", isInquiry: false };
    case "dispute_not_received":
      return { reason: "product_not_received", isInquiry: false };
    case "dispute_inquiry":
      return { reason: "general", isInquiry: true };
    default:
      return null;
  }
}
