import type { DisputeReason } from "@florin/contract/dispute.ts";

/**
 * Our dispute reasons, by the reason codes of Visa (Visa Claims Resolution) and Mastercard (Chargeback Guide). Adyen
 * lists the codes at docs.adyen.com/risk-management/disputes-api/dispute-reason-codes. Visa's codes begin with 10 for
 * fraud, 12 for processing errors and 13 for consumer disputes.
 */
const reasonsByCode: Readonly<Record<string, DisputeReason>> = {
  "10.1": "fraudulent",
  "10.2": "fraudulent",
  "10.3": "fraudulent",
  "10.4": "fraudulent",
  "10.5": "fraudulent",
  "12.6": "duplicate",
  "12.6.1": "duplicate",
  "12.6.2": "duplicate",
  "13.1": "product_not_received",
  "13.2": "subscription_canceled",
  "13.3": "product_unacceptable",
  "13.4": "product_unacceptable",
  "13.5": "product_unacceptable",
  "13.6": "credit_not_processed",
  "13.7": "credit_not_processed",
  "4834": "duplicate",
  "4837": "fraudulent",
  "4841": "subscription_canceled",
  "4849": "fraudulent",
  "4855": "product_not_received",
  "4860": "credit_not_processed",
  "4863": "unrecognized",
  "4870": "fraudulent",
  "4871": "fraudulent",
};

/** Returns our reason for a network's code. A code that covers several reasons, such as 4853, is `general`. */
export function disputeReasonOf(code: string | null): DisputeReason {
  return code !== null && Object.hasOwn(reasonsByCode, code)
    ? (reasonsByCode[code] as DisputeReason)
    : "general";
}
