import type { Connection } from "@florin/contract/operator-connections.ts";

/** The texts about one acquirer in the setup of a connection. */
export type AcquirerTexts = {
  readonly title: string;
  /** An example of a connection's name. */
  readonly exampleName: string;
  readonly merchantAccountHint: string;
  /** Null if the acquirer's API has the same URL for all companies. */
  readonly livePrefixHint: string | null;
  readonly apiKeyLabel: string;
  /** The label of the key that signs the acquirer's notifications. */
  readonly hmacKeyLabel: string;
  readonly hmacKeyHint: string;
  /** The settings at the acquirer on which the connector depends. */
  readonly settings: readonly string[];
  /** The way to send a test notification. */
  readonly testNotification: string;
};

/** Returns a label for the middle of a sentence: `secret key`, but `HMAC key`. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? `${label[0]?.toLowerCase()}${label.slice(1)}` : label;
}

export const acquirerTexts: Readonly<Record<Connection["processor"], AcquirerTexts>> = {
  adyen: {
    title: "Adyen",
    exampleName: "Adyen Europe",
    merchantAccountHint: "Used for the connection test.",
    livePrefixHint: "Find it in Adyen's Customer Area under Developers > API URLs.",
    apiKeyLabel: "API key",
    hmacKeyLabel: "HMAC key",
    hmacKeyHint: "64 hexadecimal digits.",
    settings: [
      "API credential: the roles Checkout webservice and API PCI Payments. The second role allows card numbers and requires your PCI DSS attestation.",
      "Webhook: a standard webhook in JSON with all payment, dispute and report events, and an HMAC key.",
      "Additional data in responses: authorization code, AVS and CVC results, raw acquirer response, network transaction reference, merchant advice code, liability shift, ECI, funding source, issuer country and card summary.",
      "Multiple partial captures: off, because a charge is captured once and Adyen must then release the rest.",
      "Settlement details report: generated automatically.",
    ],
    testNotification:
      "Send a test notification from Adyen's Customer Area. This page shows it within seconds.",
  },
  stripe: {
    title: "Stripe",
    exampleName: "Stripe US",
    merchantAccountHint: "The ID of your Stripe account. It begins with acct_.",
    livePrefixHint: null,
    apiKeyLabel: "Secret key",
    hmacKeyLabel: "Signing secret",
    hmacKeyHint: "Begins with whsec_.",
    settings: [
      "Raw card data APIs: enabled by Stripe for your account. This requires your PCI DSS attestation.",
      "Webhook: an endpoint with the events of payment intents, refunds, disputes and payout reconciliation. The documentation lists them.",
      "API version of the webhook: 2026-10-28.endive.",
      "Payouts: automatic, so that Stripe states which payments each payout contains.",
    ],
    testNotification:
      "Send a test event from Stripe's Workbench. This page shows it within seconds.",
  },
};
