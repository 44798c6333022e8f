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

/**
 * Returns the error for a session that was not open, or that another request changed at the same time. The status is
 * 'open' if the session is open again after that change.
 */
export function notOpen({ id, status }: Pick<CheckoutSession, "id" | "status">): ApiError {
  const [code, nextStep] = rejections[status];
  const problem =
    status === "open"
      ? "was changed by another request at the same time."
      : `is '${status}'. It must be 'open' for this request.`;
  return new ApiError(code, `The checkout session '${id}' ${problem} ${nextStep}`, { param: "id" });
}

const waitForOutcome = [
  "session_in_progress",
  "Wait for the outcome of the attempt in progress.",
] as const;
const createSession = "Create a new checkout session for another attempt.";

/** The error code and the next step for each status. */
const rejections = {
  open: ["session_in_progress", "Send the request again."],
  processing: waitForOutcome,
  requires_action: waitForOutcome,
  complete: ["session_already_complete", "Retrieve the session for its result."],
  failed: ["status_transition_invalid", createSession],
  expired: ["session_expired", createSession],
  canceled: ["session_canceled", createSession],
} as const;

/** Returns the error for a session that has the maximum number of cards. */
export function tooManyCards(): ApiError {
  return new ApiError(
    "session_max_cards",
    `A checkout session accepts at most ${maxCardsPerSession} cards. Create a new session.`,
    { param: "checkout_session_id" },
  );
}
