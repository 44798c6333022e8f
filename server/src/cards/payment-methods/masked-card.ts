import type { CardBrand, PaymentMethod } from "@florin/contract/payment-method.ts";

/** The masked card: the only card data outside the vault. */
export type MaskedCard = PaymentMethod["card"];

/** The names of the card networks for display. */
export const brandNames: Readonly<Record<CardBrand, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  unknown: "Card",
};
