import type { DeclineSentence, Words } from "./locales/words.ts";

/** Decline codes that could help a thief. The browser shows them as a generic decline. */
const helpsThieves = ["fraudulent", "lost_card", "pickup_card", "restricted_card", "stolen_card"];

export function displayableCode(declineCode: string | null): string | null {
  return declineCode !== null && helpsThieves.includes(declineCode)
    ? "generic_decline"
    : declineCode;
}

/**
 * Returns the explanation of a decline and the next step. A code that has no specific explanation gets the generic one.
 */
export function declineMessage(words: Words, code: string, declineCode: string | null): string {
  const sentence = sentenceByCode[declineCode ?? ""] ?? sentenceByCode[code] ?? "generic";
  return words.declines[sentence];
}

const sentenceByCode: Readonly<Record<string, DeclineSentence>> = {
  insufficient_funds: "funds",
  expired_card: "expired",
  incorrect_cvc: "cvc",
  invalid_cvc: "cvc",
  incorrect_number: "number",
  invalid_number: "number",
  invalid_expiry_month: "expiry",
  invalid_expiry_year: "expiry",
  incorrect_zip: "postalCode",
  card_velocity_exceeded: "limit",
  withdrawal_count_limit_exceeded: "limit",
  card_decline_rate_limit_exceeded: "tooOften",
  processing_error: "later",
  issuer_not_available: "later",
  try_again_later: "later",
  reenter_transaction: "later",
  card_not_supported: "purchase",
  transaction_not_allowed: "purchase",
  invalid_card_type: "purchase",
  currency_not_supported: "currency",
  authentication_required: "authRequired",
  authentication_failed: "authFailed",
  authentication_canceled: "authCanceled",
  authentication_timed_out: "authTimedOut",
  testmode_decline: "testCards",
};
