import type { DeclineCode } from "@florin/contract/declines.ts";

/**
 * The cardholder name that causes each refusal on Adyen's test platform
 * (docs.adyen.com/development-resources/testing/result-codes), with the decline code that the connector must return.
 * The codes are repeated here rather than read from `decline-codes.ts`, so that the test finds a wrong entry in that
 * table.
 */
export const testDeclines: readonly (readonly [holderName: string, code: DeclineCode])[] = [
  ["UNKNOWN", "processing_error"],
  ["DECLINED", "generic_decline"],
  ["REFERRAL", "call_issuer"],
  ["ERROR", "processing_error"],
  ["BLOCK_CARD", "restricted_card"],
  ["CARD_EXPIRED", "expired_card"],
  ["INVALID_AMOUNT", "invalid_amount"],
  ["INVALID_CARD_NUMBER", "incorrect_number"],
  ["ISSUER_UNAVAILABLE", "issuer_not_available"],
  ["NOT_SUPPORTED", "card_not_supported"],
  ["NOT_3D_AUTHENTICATED", "authentication_failed"],
  ["NOT_ENOUGH_BALANCE", "insufficient_funds"],
  ["ACQUIRER_FRAUD", "fraudulent"],
  ["CANCELLED", "generic_decline"],
  ["SHOPPER_CANCELLED", "authentication_canceled"],
  ["INVALID_PIN", "incorrect_pin"],
  ["PIN_TRIES_EXCEEDED", "pin_try_exceeded"],
  ["PIN_VALIDATION_NOT_POSSIBLE", "generic_decline"],
  ["FRAUD", "fraudulent"],
  ["NOT_SUBMITTED", "processing_error"],
  ["FRAUD_CANCELLED", "fraudulent"],
  ["TRANSACTION_NOT_PERMITTED", "transaction_not_allowed"],
  ["CVC_DECLINED", "incorrect_cvc"],
  ["RESTRICTED_CARD", "restricted_card"],
  ["REVOCATION_OF_AUTH", "revocation_of_authorization"],
  ["DECLINED_NON_GENERIC", "do_not_honor"],
  ["WITHDRAWAL_AMOUNT_EXCEEDED", "card_velocity_exceeded"],
  ["WITHDRAWAL_COUNT_EXCEEDED", "withdrawal_count_limit_exceeded"],
  ["ISSUER_SUSPECTED_FRAUD", "fraudulent"],
  ["AVS_DECLINED", "incorrect_zip"],
  ["PIN_REQUIRED", "online_or_offline_pin_required"],
  ["NO_CHECKING_ACCOUNT", "card_not_supported"],
  ["NO_SAVINGS_ACCOUNT", "card_not_supported"],
  ["MOBILE_PIN_REQUIRED", "online_or_offline_pin_required"],
  ["CONTACTLESS_FALLBACK", "generic_decline"],
  ["AUTHENTICATION_REQUIRED", "authentication_required"],
];
