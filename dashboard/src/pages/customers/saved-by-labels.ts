import type { SavedBy } from "@florin/contract/payment-method.ts";

/** The labels of the ways in which a card was saved. */
export const savedByLabels: Readonly<Record<SavedBy, string>> = {
  payment: "Payment",
  setup: "Card verification",
  api: "API",
};
