/**
 * The English sentences with which the card form, the API and the demo shop explain a decline to the cardholder. The
 * card form translates them.
 */
export const customerMessages = {
  generic: "Your card was declined. Try another card or contact your bank.",
  funds: "Your card has insufficient funds. Try another card.",
  expired: "Your card has expired. Check the expiry date or try another card.",
  cvc: "The security code is incorrect. Check it and try again.",
  number: "The card number is incorrect. Check it and try again.",
  expiry: "The expiry date is incorrect. Check it and try again.",
  postalCode: "The postal code does not match your card. Check it and try again.",
  limit: "This payment exceeds a limit on your card. Try another card, or try again later.",
  tooOften: "This card was declined too many times. Try another card, or try again tomorrow.",
  later: "Your bank could not process the payment. Wait a moment and try again.",
  purchase: "Your card does not support this type of purchase. Try another card.",
  currency: "Your card does not support this currency. Try another card.",
  authRequired:
    "Your bank requires you to verify this payment. Try again and follow your bank's instructions.",
  authFailed: "Your bank could not verify your identity. Try again or use another card.",
  authCanceled: "You canceled the verification. Try again when you are ready.",
  authTimedOut: "The verification timed out. Try again.",
  testCards: "This test page accepts only test cards. Choose one below.",
} as const;
