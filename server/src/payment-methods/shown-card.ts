import type { PaymentMethod } from "@florin/contract/payment-method.ts";

/** What may be shown of a card; never more (contract §5). */
export type ShownCard = PaymentMethod["card"];
