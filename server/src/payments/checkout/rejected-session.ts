import { ApiError } from "../../core/api-error.ts";
import {
  type CheckoutSession,
  maxCardsPerSession,
  statusAt,
} from "../sessions/checkout-session.ts";

/** Throws if the session cannot get another card: it is not open, or has the maximum number of cards. */
export function assertTakesCards(session: CheckoutSession, now: Date): void {
  const status = statusAt(session, now);
  if (status !== "open") throw notOpen({ id: session.id, status });
  if (session.cardCount >= maxCardsPerSession) throw tooManyCards();
}

/** Returns the error for a session that is not open. */
export function notOpen({ id, status }: Pick<CheckoutSession, "id" | "status">): ApiError {
  const codes = {
    open: "session_in_progress",
    processing: "session_in_progress",
    requires_action: "session_in_progress",
    complete: "session_already_complete",
    failed: "status_transition_invalid",
    expired: "session_expired",
    canceled: "session_canceled",
  } as const;
  return new ApiError(
    codes[status],
    `The checkout session '${id}' is '${status}'. It must be 'open' for this request.`,
    { param: "id" },
  );
}

/** Returns the error for a session that has the maximum number of cards. */
export function tooManyCards(): ApiError {
  return new ApiError(
    "session_max_cards",
    `A checkout session accepts at most ${maxCardsPerSession} cards. Create a new session.`,
    { param: "checkout_session_id" },
  );
}
