import { declineCodes } from "@florin/contract/declines.ts";
import type { EndedFrameSession, FrameAction, FrameSession } from "@florin/contract/frame.ts";
import type { Environment } from "../../acquiring/connections/connection.ts";
import { coBadgedRanges } from "../../acquiring/networks.ts";
import { unixSeconds } from "../../core/clock.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { logoPath } from "../../identity/accounts/account-object.ts";
import { challengeExpiry } from "../charges/inquiry-schedule.ts";
import {
  attemptOf,
  type CheckoutSession,
  type EndedStatus,
  paymentStatusOf,
  statusAt,
} from "../sessions/checkout-session.ts";
import { challengeUrl, type Links } from "../sessions/client-urls.ts";
import { framingOrigins, returnUrls } from "../sessions/merchant-urls.ts";
import type { Authentication } from "../three-d-secure/authentication.ts";

/**
 * Returns the fields of a session that the card form may read: the fields that the customer sees, and the return URLs.
 */
export function frameSession(
  session: CheckoutSession,
  account: Account,
  { authentication, isRedirected }: FrameAuthentication,
  { links, environment, now }: FrameContext,
): Omit<FrameSession, "saved_cards" | "wallets"> {
  const { details, scope } = session;
  const attempt = attemptOf(session);
  return {
    id: session.id,
    mode: session.mode,
    status: statusAt(session, now),
    payment_status: paymentStatusOf(session),
    amount: session.price.amountMinor,
    currency: session.price.currency,
    livemode: scope.livemode,
    ...(scope.livemode && environment === "sandbox" && { sandbox: true }),
    ...merchantFields(account),
    description: details.description && oneLine(details.description),
    line_items: details.line_items?.map((item) => ({ ...item, name: oneLine(item.name) })) ?? null,
    customer_email: details.customer_email,
    locale: details.locale,
    expires_at: unixSeconds(session.expiresAt),
    ...returnUrls(session),
    allowed_origins: framingOrigins(session, account),
    co_badged: coBadgedRanges(scope.livemode),
    save_payment_method: details.save_payment_method && session.customerId !== null,
    attempts: session.attempts,
    max_attempts: session.maxAttempts,
    last_payment_error: shownError(session.lastPaymentError),
    next_action:
      session.status === "requires_action" && attempt
        ? {
            type: "redirect",
            url: challengeUrl(links, { id: attempt, scope }),
            step: stepOf(authentication, isRedirected),
            expires_at: unixSeconds(challengeExpiry(attempt)),
          }
        : null,
    ...(authentication?.cardholderInfo && { bank_message: authentication.cardholderInfo }),
    server_time: unixSeconds(now),
  };
}

/** Returns the fields of an ended session that the card form may read: the outcome and the return URL. */
export function endedFrameSession(
  session: CheckoutSession,
  status: EndedStatus,
  account: Account,
  authentication: Authentication | null,
  now: Date,
): EndedFrameSession {
  const { success_url, cancel_url, return_url } = returnUrls(session);
  return {
    id: session.id,
    mode: session.mode,
    status,
    payment_status: paymentStatusOf(session),
    ...merchantFields(account),
    allowed_origins: framingOrigins(session, account),
    return_url: (status === "complete" ? success_url : cancel_url) ?? return_url,
    last_payment_error: shownError(session.lastPaymentError),
    ...(authentication?.cardholderInfo && { bank_message: authentication.cardholderInfo }),
    server_time: unixSeconds(now),
  };
}

function merchantFields(account: Account) {
  return {
    merchant_name: account.name,
    logo_path: logoPath(account),
    support_email: account.profile.supportEmail,
    support_phone: account.profile.supportPhone,
  };
}

type FrameContext = {
  readonly links: Links;
  readonly environment: Environment;
  readonly now: Date;
};

/** The authentication of a session's charge or card verification. */
export type FrameAuthentication = {
  readonly authentication: Authentication | null;
  /** True if the acquirer authenticates the cardholder on its own page and has returned the URL of that page. */
  readonly isRedirected: boolean;
};

/** Returns `challenge` once the card form must show the challenge frame, and `prepare` while the frame stays hidden. */
function stepOf(authentication: Authentication | null, isRedirected: boolean): FrameAction["step"] {
  const isShown = isRedirected || (authentication !== null && "challenge" in authentication);
  return isShown ? "challenge" : "prepare";
}

/**
 * Returns the last card error in a form that is safe to show to the customer. An error that would help a thief (lost,
 * stolen, suspected fraud) is returned as a generic decline.
 */
function shownError(
  error: CheckoutSession["lastPaymentError"],
): FrameSession["last_payment_error"] {
  if (!error) return null;
  const { customerMessage } = declineCodes[error.decline_code];
  const secret = customerMessage === declineCodes.generic_decline.customerMessage;
  return {
    code: secret ? "card_declined" : error.code,
    decline_code: secret ? "generic_decline" : error.decline_code,
    message: customerMessage,
  };
}
