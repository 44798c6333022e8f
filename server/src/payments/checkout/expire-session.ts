import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type EventCause, renderEvent } from "../../webhooks/events/event.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { type CheckoutSession, sessionObject } from "./checkout-session.ts";

/**
 * Expires a session and emits its event. Returns null if the session is no longer open, since a payment in progress is
 * never interrupted.
 */
export async function expireSession(
  tx: Tx,
  session: CheckoutSession,
  context: { cause: EventCause | null; now: Date },
): Promise<CheckoutSession | null> {
  const expired: CheckoutSession = {
    ...session,
    status: "expired",
    version: session.version + 1,
  };
  const event = renderEvent({
    id: newId("evt", context.now),
    type: "checkout_session.expired",
    owner: session.owner,
    cause: context.cause,
    objectId: session.id,
    object: JSON.stringify(sessionObject(expired, null)),
  });
  const { id, version, status } = expired;
  const recorded = await commitTransition(tx, {
    owner: session.owner,
    change: { kind: "sessionExpiry", id, version, row: { status } },
    events: [event],
  });
  return recorded ? expired : null;
}

/** Returns the error for a session that cannot be expired, with its current and its required status. */
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
