import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { entryOf, merchantAdvice, visaNeverApproves } from "../network-advice.ts";
import type { Decline } from "../outcome.ts";

/**
 * The decline code for each of Adyen's refusal reasons (docs.adyen.com/development-resources/refusal-reasons). The
 * codes for PINs and contactless cards occur only with terminals.
 */
export const refusalReasons: Readonly<
  Record<string, { readonly name: string; readonly code: DeclineCode }>
> = {
  2: { name: "Refused", code: "generic_decline" },
  3: { name: "Referral", code: "call_issuer" },
  4: { name: "Acquirer Error", code: "processing_error" },
  5: { name: "Blocked Card", code: "restricted_card" },
  6: { name: "Expired Card", code: "expired_card" },
  7: { name: "Invalid Amount", code: "invalid_amount" },
  8: { name: "Invalid Card Number", code: "incorrect_number" },
  9: { name: "Issuer Unavailable", code: "issuer_not_available" },
  10: { name: "Not supported", code: "card_not_supported" },
  11: { name: "3D Not Authenticated", code: "authentication_failed" },
  12: { name: "Not enough balance", code: "insufficient_funds" },
  14: { name: "Acquirer Fraud", code: "fraudulent" },
  15: { name: "Cancelled", code: "generic_decline" },
  16: { name: "Shopper Cancelled", code: "authentication_canceled" },
  17: { name: "Invalid Pin", code: "incorrect_pin" },
  18: { name: "Pin tries exceeded", code: "pin_try_exceeded" },
  19: { name: "Pin validation not possible", code: "generic_decline" },
  20: { name: "FRAUD", code: "fraudulent" },
  21: { name: "Not Submitted", code: "processing_error" },
  22: { name: "FRAUD-CANCELLED", code: "fraudulent" },
  23: { name: "Transaction Not Permitted", code: "transaction_not_allowed" },
  24: { name: "CVC Declined", code: "incorrect_cvc" },
  25: { name: "Restricted Card", code: "restricted_card" },
  26: { name: "Revocation Of Auth", code: "revocation_of_authorization" },
  27: { name: "Declined Non Generic", code: "do_not_honor" },
  28: { name: "Withdrawal amount exceeded", code: "card_velocity_exceeded" },
  29: { name: "Withdrawal count exceeded", code: "withdrawal_count_limit_exceeded" },
  31: { name: "Issuer Suspected Fraud", code: "fraudulent" },
  32: { name: "AVS Declined", code: "incorrect_zip" },
  33: { name: "Card requires online pin", code: "online_or_offline_pin_required" },
  34: { name: "No checking account available on Card", code: "card_not_supported" },
  35: { name: "No savings account available on Card", code: "card_not_supported" },
  36: { name: "Mobile pin required", code: "online_or_offline_pin_required" },
  37: { name: "Contactless fallback", code: "generic_decline" },
  38: { name: "Authentication required", code: "authentication_required" },
  39: { name: "RReq not received from DS", code: "authentication_failed" },
  40: { name: "Current AID is in Penalty Box", code: "generic_decline" },
  41: { name: "CVM Required Restart Payment", code: "online_or_offline_pin_required" },
  42: { name: "3DS Authentication Error", code: "authentication_failed" },
  43: { name: "Online PIN required", code: "online_or_offline_pin_required" },
  44: { name: "Try another interface", code: "generic_decline" },
  45: { name: "Chip downgrade mode", code: "generic_decline" },
  46: {
    name: "Transaction blocked by Adyen to prevent excessive retry fees",
    code: "card_decline_rate_limit_exceeded",
  },
};

export type Refusal = {
  /** `Error` means that the payment failed before an issuer decided. */
  readonly resultCode: "Refused" | "Cancelled" | "Error";
  readonly refusalReasonCode: string | null;
  /** `additionalData.refusalReasonRaw`, for example `05 : Do not honor`. */
  readonly refusalReasonRaw: string | null;
  readonly merchantAdviceCode: string | null;
  readonly network: CardNetwork | null;
};

/** Returns our decline code and whether the payment may be retried. */
export function declineOf(refusal: Refusal, now: Date): Decline {
  const networkDeclineCode = networkCodeOf(refusal.refusalReasonRaw);
  const advice =
    refusal.network === "mastercard" ? entryOf(merchantAdvice, refusal.merchantAdviceCode) : null;
  const reason = reasonOf(refusal);
  const code = reason === "generic_decline" ? (advice?.code ?? reason) : reason;
  const never =
    refusal.network === "visa" &&
    networkDeclineCode !== null &&
    visaNeverApproves.has(networkDeclineCode);
  return {
    code,
    networkDeclineCode,
    retry: never ? "never" : (advice?.retry ?? declineCodes[code].retry),
    notBefore:
      advice === null || advice.waitMs === null ? null : new Date(now.getTime() + advice.waitMs),
  };
}

function reasonOf({ resultCode, refusalReasonCode }: Refusal): DeclineCode {
  if (resultCode === "Error") return "processing_error";
  return entryOf(refusalReasons, refusalReasonCode)?.code ?? "generic_decline";
}

const codesByName: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(refusalReasons).map(([number, { name }]) => [name.toLowerCase(), number]),
);

/**
 * Returns the `refusalReasonCode` of a `refusalReason`, or null. Notifications have only the text, which can have a
 * number before it.
 */
export function refusalCodeNamed(refusalReason: string | null): string | null {
  const name =
    refusalReason
      ?.replace(/^\d{1,3}\s?:?\s+/, "")
      .trim()
      .toLowerCase() ?? null;
  return entryOf(codesByName, name);
}

/**
 * Returns the two-character code before the colon. Both spacings occur: `05 : Do not honor` and `51: Insufficient
 * funds` (docs.adyen.com/development-resources/raw-acquirer-responses). Other acquirers return text without a code.
 */
export function networkCodeOf(refusalReasonRaw: string | null): string | null {
  return /^([0-9A-Z]{2}) ?: /.exec(refusalReasonRaw ?? "")?.[1] ?? null;
}
