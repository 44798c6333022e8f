import type { CardBrand, PaymentMethod } from "@florin/contract/payment-method.ts";

/**
 * The masked card: the only card data outside the vault. The card of a wallet's token that only the acquirer decrypts
 * has no fingerprint, and its other fields are unknown until the acquirer reports them.
 */
export type MaskedCard = PaymentMethod["card"];

/** The masked card of a card number in the vault. */
export type NumberedCard = MaskedCard & {
  readonly last4: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly fingerprint: string;
};

export function isNumbered(card: MaskedCard): card is NumberedCard {
  return card.fingerprint !== null;
}

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
