import type { Connection } from "@florin/contract/operator-connections.ts";
import { acquirerTitles } from "../../components/acquirer-titles.ts";

/** The texts about one acquirer in the setup of a connection. */
export type AcquirerTexts = {
  readonly title: string;
  /** An example of a connection's name. */
  readonly exampleName: string;
  readonly merchantAccountHint: string;
  /** The prefix of the acquirer's URL. Null if the acquirer's API has the same URL for all companies. */
  readonly prefix: {
    readonly label: string;
    readonly hint: string;
    /** False if only the URL of the live environment has a prefix. */
    readonly inSandbox: boolean;
  } | null;
  readonly apiKeyLabel: string;
  /** The public key that wallets need. Null if the acquirer needs none. */
  readonly publicKey: { readonly label: string; readonly hint: string } | null;
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
    title: acquirerTitles.adyen,
    exampleName: "Adyen Europe",
    merchantAccountHint: "Used for the connection test.",
    prefix: {
      label: "Live URL prefix",
      hint: "Find it in Adyen’s Customer Area under Developers > API URLs.",
      inSandbox: false,
    },
    apiKeyLabel: "API key",
    publicKey: null,
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
      "Send a test notification from Adyen’s Customer Area. This page shows it within seconds.",
  },
  checkout_com: {
    title: acquirerTitles.checkout_com,
    exampleName: "Checkout.com UK",
    merchantAccountHint: "The ID of your processing channel. It begins with pc_.",
    prefix: {
      label: "URL prefix",
      hint: "The first part of your API URL. Find it in the Dashboard under Settings > Account details > Connection settings.",
      inSandbox: true,
    },
    apiKeyLabel: "Secret key",
    publicKey: {
      label: "Public key",
      hint: "For Google Pay and Apple Pay. Begins with pk_ and needs the scope vault-tokenization.",
    },
    hmacKeyLabel: "Signature key",
    hmacKeyHint: "The signature key of the webhook, with at least 16 characters.",
    settings: [
      "Full card API: enabled by Checkout.com for your account. This requires your PCI DSS attestation.",
      "Secret key: the scopes gateway, disputes, files and reports, for this processing channel.",
      "Workflow: a webhook with the events of gateway, disputes and reports, and a signature key.",
      "Merchant advice codes: enabled, so that Florin knows when a declined card may be retried.",
      "Financial Actions by Payout ID report: generated automatically for each payout.",
    ],
    testNotification:
      "Make a test payment in Checkout.com’s Dashboard. This page shows its event within seconds.",
  },
  stripe: {
    title: acquirerTitles.stripe,
    exampleName: "Stripe US",
    merchantAccountHint: "The ID of your Stripe account. It begins with acct_.",
    prefix: null,
    apiKeyLabel: "Secret key",
    publicKey: {
      label: "Publishable key",
      hint: "For Google Pay. Begins with pk_.",
    },
    hmacKeyLabel: "Signing secret",
    hmacKeyHint: "Begins with whsec_.",
    settings: [
      "Raw card data APIs: enabled by Stripe for your account. This requires your PCI DSS attestation.",
      "Webhook: an endpoint with the events of payment intents, refunds, disputes and payout reconciliation. The documentation lists them.",
      "API version of the webhook: 2026-10-28.endive.",
      "Payouts: automatic, so that Stripe states which payments each payout contains.",
    ],
    testNotification:
      "Send a test event from Stripe’s Workbench. This page shows it within seconds.",
  },
};
