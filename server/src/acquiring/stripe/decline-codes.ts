import { type DeclineCode, declineCodes, type RetryClass } from "@florin/contract/declines.ts";
import { entryOf, merchantAdvice } from "../network-advice.ts";
import type { Decline } from "../outcome.ts";

/**
 * Stripe's decline codes that have a different name in Florin (docs.stripe.com/declines/codes), and its error codes
 * that mean a decline. Every other decline code has the same name in Florin. The comment beside a code explains its
 * meaning.
 */
const renamedDeclines: Readonly<Record<string, DeclineCode>> = {
  invalid_charge_amount: "invalid_amount", // The amount is invalid or exceeds the limit.
  incorrect_postal_code: "incorrect_zip", // The postal code is incorrect.
  stolen_card: "stolen_card",
  highest_risk_level: "fraudulent", // Radar blocked the payment (docs.stripe.com/declines, "blocked payments").
  rule: "fraudulent", // A Radar rule blocked the payment.
  previously_declined_do_not_retry: "do_not_try_again", // A network forbids another attempt.
  payment_intent_authentication_failure: "authentication_failed", // The cardholder failed 3-D Secure.
  authentication_failure: "authentication_failed",
  card_declined: "generic_decline", // The issuer stated no reason.
};

/**
 * For each of Stripe's advice codes, whether the payment may be retried (docs.stripe.com/declines/codes#advice-codes).
 */
const adviceRetries: Readonly<Record<string, RetryClass>> = {
  confirm_card_data: "fix",
  do_not_try_again: "never",
  try_again_later: "later",
};

export type StripeDecline = {
  /** The error code, such as `card_declined` or `expired_card`. */
  readonly code: string | null;
  /** The issuer's decline code. Null if no issuer declined. */
  readonly declineCode: string | null;
  readonly networkDeclineCode: string | null;
  readonly networkAdviceCode: string | null;
  readonly adviceCode: string | null;
};

/** Returns our decline code and whether the payment may be retried. */
export function declineOf(declined: StripeDecline, now: Date): Decline {
  const code = codeOf(declined.declineCode) ?? codeOf(declined.code) ?? "generic_decline";
  const { adviceCode, networkAdviceCode, networkDeclineCode } = declined;
  const waitMs = entryOf(merchantAdvice, networkAdviceCode)?.waitMs ?? null;
  const advised = entryOf(adviceRetries, adviceCode);
  // Stripe's advice does not replace the retry class `auth`, because only an authentication can lead to an approval.
  const retry = declineCodes[code].retry === "auth" ? "auth" : advised;
  return {
    code,
    networkDeclineCode: /^[0-9A-Z]{2,3}$/.test(networkDeclineCode ?? "")
      ? networkDeclineCode
      : null,
    retry: waitMs === null ? (retry ?? declineCodes[code].retry) : "later",
    notBefore: waitMs === null ? null : new Date(now.getTime() + waitMs),
  };
}

function codeOf(text: string | null): DeclineCode | null {
  if (text === null) return null;
  const renamed = entryOf(renamedDeclines, text);
  if (renamed !== null) return renamed;
  return Object.hasOwn(declineCodes, text) ? (text as DeclineCode) : null;
}
