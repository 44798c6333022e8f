import { customerMessages } from "./customer-messages.ts";
import type { CardErrorCode } from "./errors.ts";

/**
 * The condition under which the same card may be retried: `never`, `later`, after the customer corrects an input
 * (`fix`), with 3-D Secure (`auth`), or after the merchant has looked for an earlier identical charge (`check`).
 * `other` requires a different card or contact with the issuer.
 */
export type RetryClass = "never" | "later" | "fix" | "auth" | "other" | "check";

export type AdviceCode = "confirm_card_data" | "try_again_later" | "do_not_try_again";

export type DeclineDescription = {
  readonly meaning: string;
  /** The merchant's next step. */
  readonly nextStep: string;
  readonly retry: RetryClass;
  readonly adviceCode: AdviceCode | null;
  /** The usual ISO 8583 field 39 values, or advice codes of the networks. */
  readonly networkCodes: readonly string[];
  /** The message for the cardholder. */
  readonly customerMessage: string;
  /** The `error.code` of the response. */
  readonly errorCode: CardErrorCode;
};

/**
 * The message for the cardholder if the reason would help a thief (lost, stolen, blocked, suspected fraud). It is also
 * the message if the reason is unknown. Only the merchant's server receives the decline code.
 */
const genericMessage = customerMessages.generic;
const asGeneric = "Show the customer a generic decline message, and ask for another card.";

const generic = (
  meaning: string,
  nextStep: string,
  networkCodes: string[] = [],
  adviceCode: AdviceCode | null = null,
) =>
  ({
    meaning,
    nextStep,
    retry: "other",
    adviceCode,
    networkCodes,
    customerMessage: genericMessage,
    errorCode: "card_declined",
  }) as const;

const never = (
  meaning: string,
  nextStep: string,
  networkCodes: string[] = [],
  customerMessage: string = genericMessage,
  adviceCode: AdviceCode | null = "do_not_try_again",
) =>
  ({
    meaning,
    nextStep,
    retry: "never",
    adviceCode,
    networkCodes,
    customerMessage,
    errorCode: "card_declined",
  }) as const;

const later = (
  meaning: string,
  nextStep: string,
  networkCodes: string[],
  customerMessage: string = customerMessages.later,
  errorCode: CardErrorCode = "card_declined",
) =>
  ({
    meaning,
    nextStep,
    retry: "later",
    adviceCode: "try_again_later",
    networkCodes,
    customerMessage,
    errorCode,
  }) as const;

const fix = (
  meaning: string,
  nextStep: string,
  customerMessage: string,
  errorCode: CardErrorCode,
  networkCodes: string[] = [],
  adviceCode: AdviceCode | null = "confirm_card_data",
) =>
  ({
    meaning,
    nextStep,
    retry: "fix",
    adviceCode,
    networkCodes,
    customerMessage,
    errorCode,
  }) as const;

const authenticate = (
  meaning: string,
  nextStep: string,
  customerMessage: string,
  errorCode: CardErrorCode,
  networkCodes: string[] = [],
) =>
  ({
    meaning,
    nextStep,
    retry: "auth",
    adviceCode: null,
    networkCodes,
    customerMessage,
    errorCode,
  }) as const;

/** Every `decline_code` with its meaning and next step: one table for the server, the card form and the docs. */
export const declineCodes = {
  approve_with_id: later(
    "The issuer would approve only after an identity check.",
    "Try once more. If the payment is declined again, ask the customer to contact the bank.",
    ["60"],
    genericMessage,
  ),
  authentication_canceled: authenticate(
    "The cardholder canceled the 3-D Secure authentication.",
    "Let the customer try again or use another card.",
    customerMessages.authCanceled,
    "authentication_canceled",
  ),
  authentication_failed: authenticate(
    "The issuer could not authenticate the cardholder with 3-D Secure.",
    "Let the customer try again or use another card.",
    customerMessages.authFailed,
    "authentication_failed",
  ),
  authentication_required: authenticate(
    "The issuer requires authentication of the cardholder.",
    "Charge again with 3-D Secure. If the customer is not present, bring the customer back to a checkout session first.",
    customerMessages.authRequired,
    "authentication_required",
    ["1A", "65"],
  ),
  authentication_timed_out: authenticate(
    "The 3-D Secure authentication timed out.",
    "Let the customer try again.",
    customerMessages.authTimedOut,
    "authentication_timed_out",
  ),
  call_issuer: generic(
    "The issuer declined the payment and requests a phone call.",
    "Ask the customer to call the bank or to use another card.",
    ["01", "02"],
  ),
  card_decline_rate_limit_exceeded: {
    ...never(
      "Florin or the acquirer blocked the payment, because the card was declined too often. Florin's limits for one card at one merchant are 8 declines in a day and 14 declines in 30 days.",
      "Do not try the card again for at least 24 hours.",
      [],
      genericMessage,
    ),
    errorCode: "card_decline_rate_limit_exceeded",
  },
  card_not_supported: never(
    "The card does not support purchases of this kind.",
    "Ask for another card.",
    ["57", "58"],
    customerMessages.purchase,
  ),
  card_velocity_exceeded: later(
    "The payment exceeds the card's balance, its credit limit, or its limit on the number of payments.",
    "Ask for another card, or try again later.",
    ["61", "65"],
    customerMessages.limit,
  ),
  currency_not_supported: never(
    "The card does not support this currency.",
    "Ask for another card, or charge in another currency.",
    [],
    customerMessages.currency,
  ),
  do_not_honor: generic(
    "The issuer declined the payment and gave no reason.",
    "Ask the customer to contact the bank or to use another card.",
    ["05"],
    "try_again_later",
  ),
  do_not_try_again: never(
    "The card network forbids another attempt.",
    "Do not charge the card again. The network charges a fee for every further attempt.",
    ["MAC 03"],
    genericMessage,
  ),
  duplicate_transaction: {
    meaning: "The same card was charged the same amount a moment ago.",
    nextStep: "Look for the earlier charge before you charge again.",
    retry: "check",
    adviceCode: null,
    networkCodes: ["94"],
    customerMessage: "You made an identical payment a moment ago. Check it before you pay again.",
    errorCode: "card_declined",
  },
  expired_card: fix(
    "The card has expired.",
    "Ask for the new expiry date or for another card.",
    customerMessages.expired,
    "expired_card",
    ["54", "33"],
  ),
  fraudulent: never(
    "The issuer suspects fraud, or a rule, a list, a review or the risk policy declined the payment before it was sent to the issuer.",
    asGeneric,
    ["59"],
    genericMessage,
  ),
  generic_decline: generic(
    "The card was declined for an unknown reason.",
    "Ask the customer to contact the bank or to use another card.",
  ),
  incorrect_address: fix(
    "The address does not match the issuer's records.",
    "Ask the customer to correct the billing address.",
    "The billing address does not match your card. Check it and try again.",
    "incorrect_address",
  ),
  incorrect_cvc: fix(
    "The security code does not match the issuer's records.",
    "Ask the customer to enter the code again.",
    customerMessages.cvc,
    "incorrect_cvc",
    ["N7", "82"],
  ),
  incorrect_number: fix(
    "The card number is incorrect.",
    "Ask the customer to enter the number again.",
    customerMessages.number,
    "incorrect_number",
    ["14"],
  ),
  incorrect_pin: fix(
    "The PIN is incorrect. A PIN can be entered only when the card is present.",
    "Ask the customer to enter the PIN again.",
    "The PIN is incorrect. Try again.",
    "card_declined",
    ["55"],
  ),
  incorrect_zip: fix(
    "The postal code does not match the issuer's records.",
    "Ask the customer to enter the postal code again.",
    customerMessages.postalCode,
    "incorrect_zip",
    ["AVS N"],
  ),
  insufficient_funds: later(
    "The account behind the card has insufficient funds.",
    "Ask for another card, or try again later.",
    ["51"],
    customerMessages.funds,
  ),
  invalid_account: never(
    "The card, or the account behind it, is closed or never existed.",
    "Ask for another card.",
    ["14", "46", "78"],
  ),
  invalid_amount: fix(
    "The issuer does not allow this amount.",
    "Check the amount, then charge again.",
    "Your card cannot be charged this amount. Contact the store.",
    "card_declined",
    ["13"],
    null,
  ),
  invalid_card_type: {
    ...never(
      "Cards of this kind are not accepted.",
      "Ask for another card.",
      [],
      customerMessages.purchase,
    ),
    errorCode: "invalid_card_type",
  },
  invalid_cvc: fix(
    "The security code has the wrong number of digits.",
    "Ask the customer to enter the code again.",
    customerMessages.cvc,
    "invalid_cvc",
  ),
  invalid_expiry_month: fix(
    "The expiry month is not a number from 1 to 12.",
    "Ask the customer to enter the expiry date again.",
    customerMessages.expiry,
    "invalid_expiry_month",
    ["54"],
  ),
  invalid_expiry_year: fix(
    "The expiry year is not valid.",
    "Ask the customer to enter the expiry date again.",
    customerMessages.expiry,
    "invalid_expiry_year",
    ["54"],
  ),
  invalid_number: fix(
    "The value is not a card number.",
    "Ask the customer to enter the number again.",
    customerMessages.number,
    "invalid_number",
    ["14"],
  ),
  invalid_pin: fix(
    "The PIN is malformed. A PIN can be entered only when the card is present.",
    "Ask the customer to enter the PIN again.",
    "The PIN is incorrect. Try again.",
    "card_declined",
    ["55"],
  ),
  issuer_not_available: later(
    "The issuer could not be reached.",
    "Try again in a few minutes.",
    ["91", "92"],
    customerMessages.later,
  ),
  lost_card: never("The card was reported lost.", asGeneric, ["41"], genericMessage),
  new_account_information_available: never(
    "The card was replaced. The old number or expiry date is no longer valid.",
    "Ask the customer for the details of the new card.",
    ["MAC 01", "79"],
    "Your bank has issued you a new card. Use the new card.",
    "confirm_card_data",
  ),
  no_action_taken: generic(
    "The issuer took no action on the request.",
    "Ask the customer to contact the bank or to use another card.",
    ["21"],
  ),
  not_permitted: generic(
    "The issuer does not permit this payment.",
    "Ask the customer to contact the bank or to use another card.",
    ["57"],
  ),
  offline_pin_required: fix(
    "The card must be inserted into a terminal, and its PIN must be entered.",
    "If the card is present, insert it into a terminal. Otherwise, ask for another card.",
    "This card requires a PIN. Try another card.",
    "card_declined",
    [],
    null,
  ),
  online_or_offline_pin_required: fix(
    "The card requires its PIN.",
    "If the card is present, insert it into a terminal. Otherwise, ask for another card.",
    "This card requires a PIN. Try another card.",
    "card_declined",
    [],
    null,
  ),
  pickup_card: never(
    "The issuer requests that the card be retained. The card may be lost or stolen.",
    asGeneric,
    ["04", "07"],
    genericMessage,
  ),
  pin_try_exceeded: never(
    "The PIN was entered incorrectly too many times.",
    "Ask for another card.",
    ["75"],
    genericMessage,
    null,
  ),
  processing_error: later(
    "An error occurred at the issuer or the acquirer.",
    "Try again in a few minutes.",
    ["96", "06"],
    customerMessages.later,
    "processing_error",
  ),
  reenter_transaction: later(
    "The issuer could not process the request.",
    "Try once more. If the charge fails again, ask the customer to contact the bank.",
    ["19"],
  ),
  restricted_card: never(
    "The use of the card is restricted. The card may be lost or stolen.",
    asGeneric,
    ["62", "36"],
    genericMessage,
  ),
  revocation_of_all_authorizations: never(
    "The cardholder revoked the authorization for all further charges.",
    "Stop charging this card for this order and for all others.",
    ["R3"],
  ),
  revocation_of_authorization: never(
    "The cardholder revoked the authorization for this series of charges.",
    "Stop charging this card for the series.",
    ["R1"],
  ),
  security_violation: generic(
    "A security rule of the issuer prevented the payment.",
    "Ask the customer to contact the bank or to use another card.",
    ["63", "83"],
  ),
  service_not_allowed: generic(
    "The issuer has not enabled this service for the card.",
    "Ask the customer to contact the bank or to use another card.",
    ["58", "40"],
  ),
  stolen_card: never("The card was reported stolen.", asGeneric, ["43"], genericMessage),
  stop_payment_order: never(
    "The cardholder has stopped this payment.",
    "Stop charging this card for the order.",
    ["R0"],
  ),
  testmode_decline: never(
    "A test card was used in live mode, or a real card in test mode.",
    "Use a real card in live mode, and a test card in test mode.",
    [],
    "Test cards work only in test mode, and real cards only in live mode.",
    null,
  ),
  transaction_not_allowed: never(
    "The card or its issuer does not allow payments of this kind.",
    "Ask for another card.",
    ["12", "57"],
    customerMessages.purchase,
  ),
  try_again_later: later(
    "The issuer declined the payment for a temporary reason that it did not state.",
    "Try again later.",
    ["03", "85"],
  ),
  withdrawal_count_limit_exceeded: later(
    "The card has reached its limit on the number of payments.",
    "Ask for another card, or try again later.",
    ["65"],
    customerMessages.limit,
  ),
} as const satisfies Record<string, DeclineDescription>;

export type DeclineCode = keyof typeof declineCodes;

export function isDeclineCode(text: string): text is DeclineCode {
  return Object.hasOwn(declineCodes, text);
}
