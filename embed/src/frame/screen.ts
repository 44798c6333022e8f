import type { FrameSession } from "@florin/contract/frame.ts";
import type { ServedSession } from "./api.ts";

/**
 * The screen to show. It depends only on the session, so a reload, the back button and a second tab show the same
 * screen.
 */
export type Screen =
  | { readonly name: "form"; readonly declined: PaymentError | null; readonly triesLeft: number }
  | { readonly name: "processing" }
  /**
   * 3-D Secure authentication has begun. Most issuers need no interaction, so the challenge document runs hidden at
   * first.
   */
  | { readonly name: "preparing"; readonly url: string }
  | { readonly name: "requires_action"; readonly url: string | null }
  | {
      readonly name: "complete";
      readonly authorizedOnly: boolean;
      readonly continueUrl: string | null;
    }
  | { readonly name: "expired"; readonly backUrl: string | null }
  | { readonly name: "canceled"; readonly backUrl: string | null }
  | {
      readonly name: "failed";
      readonly declined: PaymentError | null;
      readonly backUrl: string | null;
    };

export type PaymentError = NonNullable<FrameSession["last_payment_error"]>;

/** Returns whether the session contains its details. The service omits them once the session has ended. */
export function isWhole(session: ServedSession): session is FrameSession {
  return "amount" in session;
}

/** Returns the new session state. If the service no longer returns the details, keeps those from the previous state. */
export function merged(before: ServedSession | null, now: ServedSession): ServedSession {
  if (isWhole(now) || !before || !isWhole(before)) return now;
  const { return_url: back } = now;
  const returnUrls = { success_url: back, cancel_url: back, return_url: back };
  return { ...before, ...now, ...returnUrls, next_action: null };
}

export function screenOf(session: ServedSession): Screen {
  switch (session.status) {
    case "open":
      // The server marks sessions as expired with a delay, but accepts no payment after `expires_at`.
      if (session.server_time >= session.expires_at)
        return { name: "expired", backUrl: backUrl(session) };
      return {
        name: "form",
        declined: session.last_payment_error,
        triesLeft: Math.max(0, session.max_attempts - session.attempts),
      };
    case "processing":
      return { name: "processing" };
    case "requires_action":
      return session.next_action?.step === "prepare"
        ? { name: "preparing", url: session.next_action.url }
        : { name: "requires_action", url: session.next_action?.url ?? null };
    case "complete":
      return {
        name: "complete",
        authorizedOnly: session.mode === "payment" && session.payment_status !== "paid",
        continueUrl: continueUrl(session),
      };
    case "expired":
      return { name: "expired", backUrl: backUrl(session) };
    case "canceled":
      return { name: "canceled", backUrl: backUrl(session) };
    case "failed":
      return { name: "failed", declined: session.last_payment_error, backUrl: backUrl(session) };
  }
}

/** Returns whether the status is final. After a final status, a stale response must not show the form again. */
export function isTerminal(session: ServedSession): boolean {
  return ["complete", "expired", "canceled", "failed"].includes(session.status);
}

function continueUrl(session: ServedSession): string | null {
  return httpUrl(
    isWhole(session) ? (session.success_url ?? session.return_url) : session.return_url,
  );
}

/** Returns the shop's URL for a customer who leaves without a payment. */
export function backUrl(session: ServedSession): string | null {
  return httpUrl(
    isWhole(session) ? (session.cancel_url ?? session.return_url) : session.return_url,
  );
}

/** Returns the URL only if it is http or https, so that a stored `javascript:` URL is never opened. */
function httpUrl(address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}
