/** The signals that rules can use. `signals.test.ts` compares the list with the service's. */
export const signalGroups: readonly {
  readonly label: string;
  readonly signals: readonly (readonly [name: string, words: string])[];
}[] = [
  {
    label: "Payment",
    signals: [
      ["amount", "in minor units: 50000 is $500"],
      ["currency", "such as 'usd'"],
      ["amount_ratio", "relative to your average amount, 0 if unknown"],
      ["off_session", "the customer is absent"],
      ["authentication_required", "the issuer requires 3-D Secure"],
      ["risk_score", "0 to 100"],
      ["risk_level", "'normal', 'elevated' or 'highest'"],
    ],
  },
  {
    label: "Card",
    signals: [
      ["card_brand", "such as 'visa'"],
      ["card_funding", "'credit', 'debit' or 'prepaid'"],
      ["card_country", "of the issuer, such as 'US'"],
      ["card_fingerprint", "identical for the same card number"],
      ["card_attempts_1h", "payments in the last hour"],
      ["card_attempts_24h", "payments in the last 24 hours"],
      ["card_declines_24h", "declines in the last 24 hours"],
      ["card_mismatches_24h", "CVC and address mismatches in the last 24 hours"],
    ],
  },
  {
    label: "Customer",
    signals: [
      ["customer_id", "the customer ID, or ''"],
      ["email", "in lowercase"],
      ["email_domain", "the part after the @"],
      ["email_attempts_1h", "payments in the last hour"],
      ["email_declines_24h", "declines in the last 24 hours"],
      ["billing_country", "such as 'DE'"],
    ],
  },
  {
    label: "Location and device",
    signals: [
      ["ip", "the IP address"],
      ["ip_country", "such as 'FR'"],
      ["ip_attempts_1h", "payments in the last hour"],
      ["ip_declines_24h", "declines in the last 24 hours"],
      ["device", "identical for the same browser"],
      ["device_attempts_1h", "payments in the last hour"],
      ["device_declines_24h", "declines in the last 24 hours"],
    ],
  },
];
