import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { entryOf, merchantAdvice, visaNeverApproves } from "../network-advice.ts";
import type { Decline } from "../outcome.ts";

/** The response codes of approvals (checkout.com/docs/resources/codes/api-response-codes, "10xxx"). */
export const approvalCodes: Readonly<Record<string, string>> = {
  10000: "Approved",
  10008: "Approved - Honor with ID (Debit Cards)",
  10010: "Partial Value Approved",
  10011: "Approved – VIP (not used)",
  10076: "Approved (Country Club)",
  10077: "Approved (Local Banks)",
  10081: "Approved (Approved Commercial)",
  10100: "Flagged as a potentially risky transaction",
  10200: "Deferred capture",
};

/**
 * The decline code for each response code of a card payment (same page, "20xxx", "30xxx" and "4xxxx"). The comment
 * beside each code is Checkout.com's text. Codes that concern terminals, files between banks or payouts are left out,
 * and become a generic decline.
 */
export const responseCodes: Readonly<Record<string, DeclineCode>> = {
  20001: "call_issuer", // Refer to card issuer
  20002: "call_issuer", // Refer to card issuer - Special conditions
  20003: "processing_error", // Invalid merchant or service provider
  20004: "pickup_card", // Card should be captured
  20005: "do_not_honor", // Declined - Do not honour
  20006: "processing_error", // Error / Invalid request parameters
  20009: "try_again_later", // Request in progress
  20012: "transaction_not_allowed", // Invalid transaction
  20013: "invalid_amount", // Invalid value/amount
  20014: "incorrect_number", // Invalid account number (no such number)
  20016: "restricted_card", // Card not initialised
  20019: "reenter_transaction", // Re-enter transaction
  20021: "no_action_taken", // No action taken (unable to back out prior transaction)
  20022: "processing_error", // Suspected malfunction
  20030: "processing_error", // Format error
  20031: "card_not_supported", // Bank not supported by Switch
  20038: "pin_try_exceeded", // Allowable PIN tries exceeded
  20039: "card_not_supported", // No credit account
  20040: "service_not_allowed", // Requested function not supported
  20046: "invalid_account", // Bank decline
  20051: "insufficient_funds", // Insufficient funds
  20052: "card_not_supported", // No current (checking) account
  20053: "card_not_supported", // No savings account
  20054: "expired_card", // Expired card
  20055: "incorrect_pin", // Incorrect PIN
  20056: "incorrect_number", // No card record
  20057: "transaction_not_allowed", // Transaction not permitted to cardholder
  20058: "service_not_allowed", // Transaction not permitted to terminal
  20059: "fraudulent", // Suspected fraud
  20061: "card_velocity_exceeded", // Activity amount limit exceeded
  20062: "restricted_card", // Restricted card
  20063: "security_violation", // Security violation
  20064: "transaction_not_allowed", // Transaction does not fulfil AML requirement
  20065: "withdrawal_count_limit_exceeded", // Exceeds Withdrawal Frequency Limit
  20067: "pickup_card", // Hard capture - Pick up card at ATM
  20068: "try_again_later", // Response received too late / Timeout
  20072: "restricted_card", // Account not yet activated
  20075: "pin_try_exceeded", // Allowable PIN-entry tries exceeded
  20078: "restricted_card", // Blocked at first use
  20081: "card_not_supported", // Card is local use only
  20082: "incorrect_cvc", // Negative CAM, dCVV, iCVV, or CVV results
  20083: "security_violation", // No accounts. Visa's code 83 means fraud or security
  20085: "try_again_later", // PBF update error
  20087: "incorrect_cvc", // Bad track data (invalid CVV and/or expiry date)
  20090: "try_again_later", // Cut-off in progress
  20091: "issuer_not_available", // Issuer unavailable or switch is inoperative
  20092: "issuer_not_available", // Destination cannot be found for routing
  20093: "transaction_not_allowed", // Transaction cannot be completed; violation of law
  20094: "duplicate_transaction", // Duplicate transmission / invoice
  20096: "processing_error", // System malfunction
  "2005C": "transaction_not_allowed", // Transaction not supported / blocked by issuer
  "2006P": "approve_with_id", // Cardholder ID verification failed
  "2009G": "do_not_honor", // Blocked by cardholder / contact cardholder
  "200A4": "call_issuer", // Transaction with defect, contact issuer
  "200A6": "issuer_not_available", // UnionPay did not receive a response from the issuer
  "200E3": "try_again_later", // System busy, please try again later
  "200N0": "try_again_later", // Force STIP
  "200N7": "incorrect_cvc", // Decline for CVV2 failure
  "200O5": "online_or_offline_pin_required", // PIN required
  "200P1": "card_velocity_exceeded", // Over daily limit
  "200P9": "card_velocity_exceeded", // Limit exceeded. Enter a lesser value.
  "200R1": "revocation_of_authorization", // Issuer initiated a stop payment for this authorization
  "200R3": "revocation_of_all_authorizations", // Issuer initiated a stop payment for all authorizations
  "200T3": "card_not_supported", // Card not supported
  20100: "expired_card", // Invalid expiry date format
  20101: "invalid_account", // No Account / No Customer
  20102: "processing_error", // Invalid merchant / wallet ID
  20103: "card_not_supported", // Card type / payment method not supported
  20104: "processing_error", // Gateway reject - Invalid transaction
  20105: "processing_error", // Gateway reject - Violation
  20106: "currency_not_supported", // Unsupported currency
  20107: "incorrect_address", // Billing address is missing
  20108: "new_account_information_available", // Declined - Updated cardholder available
  20118: "processing_error", // Transaction pending
  20121: "card_velocity_exceeded", // Transaction limit for merchant/terminal exceeded
  20123: "incorrect_address", // Missing basic data: zip, addr, member
  20124: "incorrect_cvc", // Missing CVV value, required for ecommerce transaction
  20150: "authentication_failed", // Card not 3D Secure (3DS) enabled
  20151: "authentication_failed", // Cardholder failed 3DS authentication
  20152: "authentication_timed_out", // Initial 3DS transaction not completed within 15 minutes
  20153: "authentication_failed", // 3DS system malfunction
  20154: "authentication_required", // 3DS authentication required
  20155: "authentication_failed", // 3DS authentication service provided invalid authentication result
  20156: "card_not_supported", // Requested function not supported by the acquirer
  20157: "processing_error", // Invalid merchant configurations - Contact Support
  20159: "authentication_failed", // ACS Malfunction
  20179: "new_account_information_available", // Lifecycle: the transaction has invalid card data
  20182: "do_not_honor", // Policy: the transaction does not comply with card policy
  20183: "fraudulent", // Security: the transaction is suspected to be fraudulent
  30004: "pickup_card", // Pick up card (No fraud)
  30007: "pickup_card", // Pick up card - Special conditions
  30015: "incorrect_number", // No such issuer
  30020: "invalid_amount", // Invalid amount
  30021: "card_velocity_exceeded", // Total amount limit reached
  30022: "withdrawal_count_limit_exceeded", // Total transaction count limit reached
  30033: "expired_card", // Expired card - Pick up
  30034: "fraudulent", // Suspected fraud - Pick up
  30035: "pickup_card", // Contact acquirer - Pick up
  30036: "restricted_card", // Restricted card - Pick up
  30037: "pickup_card", // Call acquirer security - Pick up
  30038: "pin_try_exceeded", // Allowable PIN tries exceeded - Pick up
  30041: "lost_card", // Lost card - Pick up
  30043: "stolen_card", // Stolen card - Pick up
  30044: "transaction_not_allowed", // Transaction rejected - AMLD5
  30046: "invalid_account", // Closed account
  44301: "authentication_required", // 3DS authentication required
};

/**
 * The hard-decline codes (300xx) whose last two digits are not a network's code. They concern payouts and rules of
 * Checkout.com.
 */
const ownHardDeclines: ReadonlySet<string> = new Set([
  "30016",
  "30017",
  "30018",
  "30019",
  "30020",
  "30021",
  "30022",
  "30044",
  "30045",
  "30046",
]);

/** The network's codes of those 201xx codes that stand for one (support.checkout.com, "Common response codes"). */
const networkCodesOf: Readonly<Record<string, string>> = {
  20179: "79",
  20182: "82",
  20183: "83",
};

/**
 * Checkout.com's recommendation codes (checkout.com/docs/developer-resources/codes/recommendation-codes). They have the
 * same meanings as Mastercard's first three merchant advice codes, and apply to Visa and Mastercard.
 */
const recommendationCodes = ["01", "02", "03"] as const;

export type DeclinedResponse = {
  readonly responseCode: string | null;
  /** `processing.recommendation_code` */
  readonly recommendationCode: string | null;
  /** `processing.partner_merchant_advice_code`, which is Mastercard's merchant advice code. */
  readonly merchantAdviceCode: string | null;
  readonly network: CardNetwork | null;
};

/** Returns our decline code and whether the payment may be retried. */
export function declineOf(declined: DeclinedResponse, now: Date): Decline {
  const { responseCode, recommendationCode, merchantAdviceCode, network } = declined;
  const networkDeclineCode = networkCodeOf(responseCode);
  const advice =
    entryOf(merchantAdvice, merchantAdviceCode) ??
    (recommendationCodes.some((known) => known === recommendationCode)
      ? entryOf(merchantAdvice, recommendationCode)
      : null);
  const reason = codeOf(responseCode);
  const code = reason === "generic_decline" ? (advice?.code ?? reason) : reason;
  const own = declineCodes[code].retry;
  const never =
    network === "visa" && networkDeclineCode !== null && visaNeverApproves.has(networkDeclineCode);
  // Advice does not replace the retry class `auth`, because only an authentication can lead to an approval.
  const retry = own === "auth" ? own : (advice?.retry ?? own);
  const waitMs = advice?.waitMs ?? null;
  return {
    code,
    networkDeclineCode,
    retry: never ? "never" : retry,
    notBefore: waitMs === null ? null : new Date(now.getTime() + waitMs),
  };
}

function codeOf(responseCode: string | null): DeclineCode {
  const known = entryOf(responseCodes, responseCode);
  if (known !== null) return known;
  // A risk rule of the merchant or of Checkout.com declined the payment.
  return responseCode !== null && /^4\d{4}$/.test(responseCode) ? "fraudulent" : "generic_decline";
}

/**
 * Returns the network's code in a response code. The last two characters of `200xx` and `300xx` are the code that the
 * issuer returned: `20051` stands for `51`, and `200N7` for `N7`.
 */
export function networkCodeOf(responseCode: string | null): string | null {
  const known = entryOf(networkCodesOf, responseCode);
  if (known !== null || responseCode === null || ownHardDeclines.has(responseCode)) return known;
  return /^(?:200|300)([0-9A-Z]{2})$/.exec(responseCode)?.[1] ?? null;
}
