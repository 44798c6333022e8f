import type { CardErrorCode } from "./errors.ts";

/**
 * Says when the same card may be retried: `never`, `later`, after the customer corrects an input (`fix`), with 3-D Secure
 * (`auth`), only another card or after contact with the issuer (`other`), or not before looking for an earlier charge
 * (`check`).
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
 * The cardholder's message when the reason would help a thief (lost, stolen, blocked, suspected). It equals the message
 * of a decline without a reason. Only the merchant's server gets the code.
 */
const genericWords = "Your card was declined. Please use another card or contact your bank.";
const laterWords = "Your card could not be charged just now. Please try again in a little while.";
const otherCardWords = "This card cannot be used for this payment. Please use another card.";
const asGeneric = "Show the customer a generic decline, and ask for another card.";

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
    customerMessage: genericWords,
    errorCode: "card_declined",
  }) as const;

const never = (
  meaning: string,
  nextStep: string,
  networkCodes: string[] = [],
  customerMessage: string = otherCardWords,
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
  customerMessage: string = laterWords,
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
    "The issuer would approve only after seeing an identity document.",
    "Try once more; if it is refused again, the customer talks to the bank.",
    ["60"],
    genericWords,
  ),
  authentication_canceled: authenticate(
    "The cardholder broke off the bank's 3-D Secure check.",
    "Let the customer try again, or take another card.",
    "The check with your bank was canceled. Please try again.",
    "authentication_canceled",
  ),
  authentication_failed: authenticate(
    "The bank's 3-D Secure check did not recognise the cardholder.",
    "Let the customer try again, or take another card.",
    "Your bank could not confirm that it is you. Please try again or use another card.",
    "authentication_failed",
  ),
  authentication_required: authenticate(
    "The issuer wants the cardholder to confirm this payment.",
    "Charge again with 3-D Secure; bring an absent customer back first.",
    "Your bank wants you to confirm this payment. Please try again and follow its steps.",
    "authentication_required",
    ["1A", "65"],
  ),
  authentication_timed_out: authenticate(
    "The bank's 3-D Secure check was not finished in time.",
    "Let the customer try again.",
    "The check with your bank took too long. Please try again.",
    "authentication_timed_out",
  ),
  call_issuer: generic(
    "The issuer refused and wants to be called.",
    "The customer calls the bank, or uses another card.",
    ["01", "02"],
  ),
  card_decline_rate_limit_exceeded: {
    ...never(
      "This card was declined too often in a short time.",
      "Do not try the card again for 24 hours.",
      [],
      genericWords,
    ),
    errorCode: "card_decline_rate_limit_exceeded",
  },
  card_not_supported: never(
    "The card cannot make purchases of this kind.",
    "Ask for another card.",
    ["57", "58"],
  ),
  card_velocity_exceeded: later(
    "The card has reached a limit on its balance, its credit or how often it is used.",
    "Ask for another card, or try again later.",
    ["61", "65"],
    "Your card has reached a limit. Please use another card or try again later.",
  ),
  currency_not_supported: never(
    "The card cannot pay in this currency.",
    "Ask for another card, or charge in another currency.",
    [],
    "This card cannot pay in this currency. Please use another card.",
  ),
  do_not_honor: generic(
    "The issuer refused and gave no reason.",
    "The customer contacts the bank, or uses another card.",
    ["05"],
    "try_again_later",
  ),
  do_not_try_again: never(
    "The card network says in so many words not to try again.",
    "Stop: every further attempt costs a fee and counts against you.",
    ["MAC 03"],
    genericWords,
  ),
  duplicate_transaction: {
    meaning: "A charge of the same amount on the same card was made a moment ago.",
    nextStep: "Look for the earlier charge before anything else.",
    retry: "check",
    adviceCode: null,
    networkCodes: ["94"],
    customerMessage: "This payment looks like one just made. Please check before you pay again.",
    errorCode: "card_declined",
  },
  expired_card: fix(
    "The card has expired.",
    "Ask for the new expiry date, or another card.",
    "Your card has expired. Please check the expiry date or use another card.",
    "expired_card",
    ["54", "33"],
  ),
  fraudulent: never(
    "The issuer suspects fraud, or the payment was declined by a rule, a list, a review or the risk policy before the issuer was asked.",
    asGeneric,
    ["59"],
    genericWords,
  ),
  generic_decline: generic(
    "The card was refused for a reason that is unknown, or by a rule.",
    "The customer contacts the bank, or uses another card.",
  ),
  incorrect_address: fix(
    "The address is not the one the issuer knows.",
    "Let the customer correct the billing address.",
    "The billing address does not match your card. Please check it.",
    "incorrect_address",
  ),
  incorrect_cvc: fix(
    "The issuer knows another security code.",
    "Let the customer type the code again.",
    "The security code is not right. Please check it and try again.",
    "incorrect_cvc",
    ["N7", "82"],
  ),
  incorrect_number: fix(
    "The card number is wrong.",
    "Let the customer type the number again.",
    "The card number is not right. Please check it and try again.",
    "incorrect_number",
    ["14"],
  ),
  incorrect_pin: fix(
    "The PIN is wrong; it can only be asked for where the card is present.",
    "Let the customer type the PIN again.",
    "The PIN is not right. Please try again.",
    "card_declined",
    ["55"],
  ),
  incorrect_zip: fix(
    "The postal code is not the one the issuer knows.",
    "Let the customer type the postal code again.",
    "The postal code does not match your card. Please check it and try again.",
    "incorrect_zip",
    ["AVS N"],
  ),
  insufficient_funds: later(
    "There is not enough money behind the card.",
    "Ask for another card, or try again later.",
    ["51"],
    "There is not enough money on this card. Please use another card.",
  ),
  invalid_account: never(
    "The card, or the account behind it, is closed or was never valid.",
    "Ask for another card.",
    ["14", "46", "78"],
  ),
  invalid_amount: fix(
    "The issuer does not allow this amount.",
    "Check the amount, then charge again.",
    "This amount cannot be paid with this card. Please contact the shop.",
    "card_declined",
    ["13"],
    null,
  ),
  invalid_card_type: {
    ...never(
      "Cards of this kind are not accepted here.",
      "Ask for another card.",
      [],
      "Cards of this kind are not accepted. Please use another card.",
    ),
    errorCode: "invalid_card_type",
  },
  invalid_cvc: fix(
    "The security code has the wrong number of digits.",
    "Let the customer type the code again.",
    "The security code is not complete. Please check it.",
    "invalid_cvc",
  ),
  invalid_expiry_month: fix(
    "The expiry month is not a month.",
    "Let the customer type the expiry date again.",
    "The expiry month is not right. Please check it.",
    "invalid_expiry_month",
    ["54"],
  ),
  invalid_expiry_year: fix(
    "The expiry year cannot be one.",
    "Let the customer type the expiry date again.",
    "The expiry year is not right. Please check it.",
    "invalid_expiry_year",
    ["54"],
  ),
  invalid_number: fix(
    "The text is not a card number.",
    "Let the customer type the number again.",
    "This is not a card number. Please check it.",
    "invalid_number",
    ["14"],
  ),
  invalid_pin: fix(
    "The PIN is malformed; it can only be asked for where the card is present.",
    "Let the customer type the PIN again.",
    "The PIN is not right. Please try again.",
    "card_declined",
    ["55"],
  ),
  issuer_not_available: later(
    "The issuer could not be reached.",
    "Try again in a few minutes.",
    ["91", "92"],
    "Your bank cannot be reached just now. Please try again in a little while.",
  ),
  lost_card: never("The card was reported lost.", asGeneric, ["41"], genericWords),
  new_account_information_available: never(
    "The card was replaced; these card data will not work again.",
    "Ask the customer for the new card's data.",
    ["MAC 01", "79"],
    "Your bank has issued you a new card. Please use that one.",
    "confirm_card_data",
  ),
  no_action_taken: generic(
    "The issuer did nothing with the request.",
    "The customer contacts the bank, or uses another card.",
    ["21"],
  ),
  not_permitted: generic(
    "The issuer does not permit this payment.",
    "The customer contacts the bank, or uses another card.",
    ["57"],
  ),
  offline_pin_required: fix(
    "The card must be inserted and its PIN typed.",
    "Only where the card is present: insert it.",
    "This card asks for its PIN. Please use another card.",
    "card_declined",
    [],
    null,
  ),
  online_or_offline_pin_required: fix(
    "The card asks for its PIN.",
    "Only where the card is present: insert it.",
    "This card asks for its PIN. Please use another card.",
    "card_declined",
    [],
    null,
  ),
  pickup_card: never(
    "The issuer wants the card taken in; it may be lost or stolen.",
    asGeneric,
    ["04", "07"],
    genericWords,
  ),
  pin_try_exceeded: never(
    "The PIN was typed wrong too often.",
    "Ask for another card.",
    ["75"],
    otherCardWords,
    null,
  ),
  processing_error: later(
    "Something failed at the issuer or the acquirer.",
    "Try again a little later.",
    ["96", "06"],
    laterWords,
    "processing_error",
  ),
  reenter_transaction: later(
    "The issuer could not work on the request.",
    "Try once more; if it fails again, the customer contacts the bank.",
    ["19"],
  ),
  restricted_card: never(
    "The card may only be used under restrictions; it may be lost or stolen.",
    asGeneric,
    ["62", "36"],
    genericWords,
  ),
  revocation_of_all_authorizations: never(
    "The cardholder forbade all further charges of yours.",
    "Stop charging this card, also for other orders.",
    ["R3"],
  ),
  revocation_of_authorization: never(
    "The cardholder forbade this series of charges.",
    "Stop charging this card for it.",
    ["R1"],
  ),
  security_violation: generic(
    "A security rule of the issuer stood against it.",
    "The customer contacts the bank, or uses another card.",
    ["63", "83"],
  ),
  service_not_allowed: generic(
    "The issuer has not switched on this service for the card.",
    "The customer contacts the bank, or uses another card.",
    ["58", "40"],
  ),
  stolen_card: never("The card was reported stolen.", asGeneric, ["43"], genericWords),
  stop_payment_order: never(
    "The cardholder had this payment stopped.",
    "Stop charging this card for it.",
    ["R0"],
  ),
  testmode_decline: never(
    "A test card was used in live mode, or a real card in test mode.",
    "Use a real card in live mode, and a test card in test mode.",
    [],
    "Test cards work in test mode only, and real cards in live mode only.",
    null,
  ),
  transaction_not_allowed: never(
    "The card or its issuer forbids payments of this kind.",
    "Ask for another card.",
    ["12", "57"],
  ),
  try_again_later: later(
    "The issuer refused for a passing reason that it did not name.",
    "Try again later.",
    ["03", "85"],
  ),
  withdrawal_count_limit_exceeded: later(
    "The card has been used as often as it may be for now.",
    "Ask for another card, or try again later.",
    ["65"],
    "Your card has reached a limit. Please use another card or try again later.",
  ),
} as const satisfies Record<string, DeclineDescription>;

export type DeclineCode = keyof typeof declineCodes;

export function isDeclineCode(text: string): text is DeclineCode {
  return Object.hasOwn(declineCodes, text);
}
