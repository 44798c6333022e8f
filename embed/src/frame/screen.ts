import type { FrameSession } from "@florin/contract/frame.ts";
import type { ServedSession } from "./api.ts";

/** The visible screen. A session has exactly one, so that reload, back and a second tab show the same one. */
export type Screen =
  | { readonly name: "form"; readonly declined: PaymentError | null; readonly triesLeft: number }
  | { readonly name: "processing" }
  /** 3-D Secure authentication has begun. Most issuers need no interaction, so our document runs hidden. */
  | { readonly name: "preparing"; readonly url: string }
  | { readonly name: "requires_action"; readonly url: string | null }
  | { readonly name: "complete"; readonly authorizedOnly: boolean; readonly wayOn: string | null }
  | { readonly name: "expired"; readonly wayBack: string | null }
  | { readonly name: "canceled"; readonly wayBack: string | null }
  | {
      readonly name: "failed";
      readonly declined: PaymentError | null;
      readonly wayBack: string | null;
    };

export type PaymentError = NonNullable<FrameSession["last_payment_error"]>;

/** Returns whether the session has its details, which the service omits once it has ended. */
export function isWhole(session: ServedSession): session is FrameSession {
  return "amount" in session;
}

/** Merges a session read into the previous one. Details that the service omits after the end stay on the screen. */
export function merged(before: ServedSession | null, now: ServedSession): ServedSession {
  if (isWhole(now) || !before || !isWhole(before)) return now;
  const { return_url: back } = now;
  const ways = { success_url: back, cancel_url: back, return_url: back };
  return { ...before, ...now, ...ways, next_action: null };
}

export function screenOf(session: ServedSession): Screen {
  switch (session.status) {
    case "open":
      // The server expires sessions with a delay, but an expired session takes no payment before that either.
      if (session.server_time >= session.expires_at)
        return { name: "expired", wayBack: wayBack(session) };
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
        authorizedOnly: session.payment_status !== "paid",
        wayOn: wayOn(session),
      };
    case "expired":
      return { name: "expired", wayBack: wayBack(session) };
    case "canceled":
      return { name: "canceled", wayBack: wayBack(session) };
    case "failed":
      return { name: "failed", declined: session.last_payment_error, wayBack: wayBack(session) };
  }
}

/** Returns whether the state is terminal. A stale response that arrives late must not bring the form back. */
export function isTerminal(session: ServedSession): boolean {
  return ["complete", "expired", "canceled", "failed"].includes(session.status);
}

function wayOn(session: ServedSession): string | null {
  return webAddress(
    isWhole(session) ? (session.success_url ?? session.return_url) : session.return_url,
  );
}

/** Returns the link back to the shop without a payment. */
export function wayBack(session: ServedSession): string | null {
  return webAddress(
    isWhole(session) ? (session.cancel_url ?? session.return_url) : session.return_url,
  );
}

/** Returns the URL only if it is http or https: a stored `javascript:` URL is never followed. */
function webAddress(address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}
