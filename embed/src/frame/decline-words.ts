import type { DeclineSentence, Words } from "./locales/words.ts";

/** What an issuer says about these would help a thief: in the browser they are a generic decline, word for word. */
const helpsThieves = ["fraudulent", "lost_card", "pickup_card", "restricted_card", "stolen_card"];

export function tellable(declineCode: string | null): string | null {
  return declineCode !== null && helpsThieves.includes(declineCode)
    ? "generic_decline"
    : declineCode;
}

/** A decline in plain words and with what to do; one that is not named here gets the words of a generic decline. */
export function declineWords(words: Words, code: string, declineCode: string | null): string {
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
