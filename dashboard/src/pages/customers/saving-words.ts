import type { SavingWay } from "@florin/contract/payment-method.ts";

/** The labels of the ways in which a card was saved. */
export const savingWords: Readonly<Record<SavingWay, string>> = {
  payment: "Payment",
  setup: "Card verification",
  api: "API",
};
