import type { DisputeReason } from "@florin/contract/dispute.ts";

type Guidance = {
  /** The networks' own reason codes that correspond to this reason, by network. */
  readonly codes: Readonly<Record<string, string>>;
  /** The evidence that can win a dispute with this reason. */
  readonly expected: readonly string[];
};

/**
 * The networks' expectations for each reason. docs/guides/disputes.md contains the same expectations and their sources,
 * so change both together.
 */
const guidance: Readonly<Record<DisputeReason, Guidance>> = {
  fraudulent: {
    codes: { visa: "10.4", mastercard: "4837", amex: "F29", discover: "UA02" },
    expected: [
      "A 3-D Secure authentication of the cardholder. With a liability shift, the issuer bears the loss.",
      "At least two undisputed payments with the same card, 120 to 365 days old, with the same IP address, email, account or delivery address (Visa Compelling Evidence 3.0).",
      "Delivery to the cardholder’s billing address, or signs that the cardholder used the product.",
    ],
  },
  product_not_received: {
    codes: { visa: "13.1", mastercard: "4853", amex: "C08", discover: "RG" },
    expected: [
      "Proof of delivery from the carrier, with the date and the address, before the dispute.",
      "For digital products: a log of the download or of the customer’s use, with times.",
      "If the delivery is not due yet: the delivery date that the customer accepted.",
    ],
  },
  product_unacceptable: {
    codes: { visa: "13.3", mastercard: "4853", amex: "C31", discover: "RM" },
    expected: [
      "The description that the customer saw, and proof that the product matches it.",
      "Your answer to the complaint: a replacement, a repair or a refund that you offered.",
      "If nothing was returned: your return policy, and a statement that the customer kept the product.",
    ],
  },
  duplicate: {
    codes: { visa: "12.6.1", mastercard: "4834", amex: "P08", discover: "DP" },
    expected: [
      "Receipts of both payments, which show that they are for different purchases.",
      "If one was a duplicate: proof that you have refunded it.",
    ],
  },
  subscription_canceled: {
    codes: { visa: "13.2", mastercard: "4853", amex: "C28", discover: "AP" },
    expected: [
      "The terms of the cancellation that the customer accepted, and when.",
      "Proof that the customer did not cancel before this payment, or used the service after it.",
      "The notice of the renewal, if you sent one.",
    ],
  },
  credit_not_processed: {
    codes: { visa: "13.6", mastercard: "4853", amex: "C02", discover: "RN2" },
    expected: [
      "Proof of the refund with its date and amount, if you have refunded the payment.",
      "Otherwise: the refund policy that the customer accepted, and why no refund is due.",
    ],
  },
  unrecognized: {
    codes: { visa: "10.4", mastercard: "4837", amex: "F29", discover: "UA02" },
    expected: [
      "The receipt, with the product and the text on the card statement.",
      "Data that links the cardholder to the purchase: name, email, IP address, delivery address.",
    ],
  },
  general: {
    codes: {},
    expected: [
      "The receipt, a description of the product, and proof of its delivery or use.",
      "Your messages with the customer about this payment.",
    ],
  },
};

const brandNames: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

export function expectedEvidence(reason: DisputeReason): readonly string[] {
  return guidance[reason].expected;
}

/** Returns the network's reason code with its name, or null if the reason has no single code at the network. */
export function reasonCode(reason: DisputeReason, brand: string | undefined): string | null {
  const code = brand === undefined ? undefined : guidance[reason].codes[brand];
  return code === undefined ? null : `${brandNames[brand as string]} ${code}`;
}
