import { adyenConnector } from "./adyen/adyen-connector.ts";
import { checkoutComConnector } from "./checkout-com/checkout-com-connector.ts";
import type { Connector } from "./connector.ts";
import type { LiveProcessorName } from "./processor.ts";
import { stripeConnector } from "./stripe/stripe-connector.ts";

/** The connectors of live mode, by the `processor` of their connections. */
export const connectors: Readonly<Record<LiveProcessorName, Connector>> = {
  adyen: adyenConnector,
  checkout_com: checkoutComConnector,
  stripe: stripeConnector,
};
