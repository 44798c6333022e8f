/** The signals that rules can use. `signals.test.ts` compares them with those of the service. */
export const signalGroups: readonly {
  readonly label: string;
  readonly signals: readonly (readonly [name: string, words: string])[];
}[] = [
  {
    label: "The payment",
    signals: [
      ["amount", "in the smallest unit: 50000 is $500"],
      ["currency", "such as 'usd'"],
      ["amount_ratio", "against your usual amount; 0: not known"],
      ["off_session", "the customer is absent"],
      ["authentication_required", "the bank wants 3-D Secure"],
      ["risk_score", "0 to 100"],
      ["risk_level", "'normal', 'elevated' or 'highest'"],
    ],
  },
  {
    label: "The card",
    signals: [
      ["card_brand", "such as 'visa'"],
      ["card_funding", "'credit', 'debit' or 'prepaid'"],
      ["card_country", "of its bank, such as 'US'"],
      ["card_fingerprint", "the same for the same number"],
      ["card_attempts_1h", "payments with it in an hour"],
      ["card_attempts_24h", "and in a day"],
      ["card_declines_24h", "of them declined"],
      ["card_mismatches_24h", "wrong security codes and addresses"],
    ],
  },
  {
    label: "The customer",
    signals: [
      ["customer_id", "yours, or ''"],
      ["email", "in lower case"],
      ["email_domain", "what follows the @"],
      ["email_attempts_1h", "payments in an hour"],
      ["email_declines_24h", "declined in a day"],
      ["billing_country", "such as 'DE'"],
    ],
  },
  {
    label: "Where from",
    signals: [
      ["ip", "the network address"],
      ["ip_country", "such as 'FR'"],
      ["ip_attempts_1h", "payments in an hour"],
      ["ip_declines_24h", "declined in a day"],
      ["device", "the same for the same browser"],
      ["device_attempts_1h", "payments in an hour"],
      ["device_declines_24h", "declined in a day"],
    ],
  },
];
