import { newId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type EventCause, renderEvent } from "../../webhooks/events/event.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { Transition } from "../commit/transition.ts";
import { type CheckoutSession, sessionObject } from "../sessions/checkout-session.ts";

/**
 * Expires an open session and emits its event. Returns null if the session is not open: a payment in progress is never
 * interrupted.
 */
export async function expireSession(
  tx: Tx,
  session: CheckoutSession,
  context: Context,
): Promise<CheckoutSession | null> {
  const expired: CheckoutSession = {
    ...session,
    status: "expired",
    version: session.version + 1,
  };
  return (await commitTransition(tx, expiryTransition(expired, context))) ? expired : null;
}

type Context = { readonly cause: EventCause | null; readonly now: Date };

/** Returns the transition to an expired session. */
export function expiryTransition(
  session: CheckoutSession,
  { cause, now }: Context,
): Transition<"sessionExpiry"> {
  const { scope, id, version, status } = session;
  const event = renderEvent({
    id: newId("evt", now),
    type: "checkout_session.expired",
    scope,
    cause,
    objectId: id,
    object: JSON.stringify(sessionObject(session, null)),
  });
  return {
    scope,
    change: { kind: "sessionExpiry", id, version, row: { status } },
    events: [event],
  };
}
