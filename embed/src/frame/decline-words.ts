/** What an issuer says about these would help a thief: in the browser they are a generic decline, word for word. */
const helpsThieves = [
  "fraudulent",
  "lost_card",
  "merchant_blacklist",
  "pickup_card",
  "restricted_card",
  "stolen_card",
];

export function tellable(declineCode: string | null): string | null {
  return declineCode !== null && helpsThieves.includes(declineCode)
    ? "generic_decline"
    : declineCode;
}

/** A decline in plain words and with what to do; one that is not named here gets the words of a generic decline. */
export function declineWords(code: string, declineCode: string | null): string {
  return wordsByCode[declineCode ?? ""] ?? wordsByCode[code] ?? genericDecline;
}

const genericDecline =
  "Your card was declined. Try another card, or ask your bank what stands in the way.";

const tryLater = "Your bank could not answer just now. Wait a moment, then try again.";
const limitReached = "This payment is above a limit of your card. Try another card, or try later.";
const notThisPurchase = "Your card does not allow this kind of purchase. Try another card.";

const wordsByCode: Readonly<Record<string, string>> = {
  insufficient_funds: "Your card does not have enough funds for this payment. Try another card.",
  expired_card: "Your card has expired. Check the expiry date, or try another card.",
  incorrect_cvc: "The security code is not right. Check it on your card and try again.",
  invalid_cvc: "The security code is not right. Check it on your card and try again.",
  incorrect_number: "The card number is not right. Check it and try again.",
  invalid_number: "The card number is not right. Check it and try again.",
  invalid_expiry_month: "The expiry date is not right. Check it and try again.",
  invalid_expiry_year: "The expiry date is not right. Check it and try again.",
  incorrect_zip: "The postal code does not match the card. Check it and try again.",
  card_velocity_exceeded: limitReached,
  withdrawal_count_limit_exceeded: limitReached,
  card_decline_rate_limit_exceeded:
    "This card was declined too often. Try another card, or come back tomorrow.",
  processing_error: tryLater,
  issuer_not_available: tryLater,
  try_again_later: tryLater,
  reenter_transaction: tryLater,
  card_not_supported: notThisPurchase,
  transaction_not_allowed: notThisPurchase,
  invalid_card_type: notThisPurchase,
  currency_not_supported: "Your card cannot pay in this currency. Try another card.",
  authentication_required:
    "Your bank wants you to confirm this payment. Try again and follow its steps.",
  authentication_failed: "Your bank could not confirm that it is you. Try again, or another card.",
  authentication_canceled: "You canceled your bank's check. Try again when you are ready.",
  authentication_timed_out: "Your bank's check took too long. Try again.",
  testmode_decline: "This is a test page and takes only test cards. Pick one of those below.",
};
