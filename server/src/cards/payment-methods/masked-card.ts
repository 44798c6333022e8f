import type { PaymentMethod } from "@florin/contract/payment-method.ts";

/** The masked card: the only card data outside the vault. */
export type MaskedCard = PaymentMethod["card"];
