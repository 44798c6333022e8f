import type { Connection } from "@florin/contract/operator-connections.ts";

/** The names of the acquirers for display. */
export const acquirerTitles: Readonly<Record<Connection["processor"], string>> = {
  adyen: "Adyen",
  checkout_com: "Checkout.com",
  stripe: "Stripe",
};
