import assert from "node:assert/strict";
import { assertNever } from "../../core/assert-never.ts";
import { newId, type RequestId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import type { SessionChange } from "../commit/transition.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import { type CheckoutSession, sessionObject } from "../sessions/checkout-session.ts";
import type { Charge, Failure } from "./charge.ts";
import { failureMessage } from "./decline-error.ts";

/** Returns the checkout session of a charge, or null if the charge has none. */
export async function readChargedSession(
  { database }: { readonly database: Database },
  { scope, checkoutSessionId }: Pick<Charge, "scope" | "checkoutSessionId">,
): Promise<CheckoutSession | null> {
  if (!checkoutSessionId) return null;
  const session = await readSession(database.read, scope, checkoutSessionId);
  assert(session, `${checkoutSessionId} has a charge but is missing`);
  return session;
}

/** The effect of a charge's transition on its checkout session. */
export type SessionTransition = Omit<SessionChange, "id"> & {
  /** `checkout_session.completed`, if this transition completes the session. */
  readonly event: NewEvent | null;
};

/** Returns the session's next state after a transition of its charge. Pure. */
export function sessionTransition(
  session: CheckoutSession,
  charge: Charge,
  now: Date,
): SessionTransition {
  const move = stateAfter(session, charge);
  if (move.status !== "complete") return { ...move, event: null };
  const version = session.version + 1;
  const after: CheckoutSession = { ...session, ...move, version, chargeId: charge.id };
  return { ...move, event: completedEvent(after, charge.request?.id ?? null, now) };
}

function stateAfter(
  session: Pick<CheckoutSession, "attempts" | "maxAttempts">,
  charge: Charge,
): Omit<SessionTransition, "event"> {
  const unpaid = { paymentStatus: "unpaid", lastPaymentError: null } as const;
  switch (charge.status) {
    case "succeeded":
      return { ...unpaid, status: "complete", paymentStatus: "paid" };
    case "authorized":
      return { ...unpaid, status: "complete", paymentStatus: "authorized" };
    case "processing":
    case "requires_action":
      return { ...unpaid, status: charge.status };
    case "failed":
      // The customer may correct the card and retry until no attempts are left.
      return afterFailure(session, charge.failure);
    case "canceled":
      return { ...unpaid, status: "canceled" };
    default:
      return assertNever(charge);
  }
}

/** Returns the session's next state after a failed attempt. The session stays open until no attempts are left. */
export function afterFailure(
  session: Pick<CheckoutSession, "attempts" | "maxAttempts">,
  { code, declineCode }: Failure,
): Omit<SessionTransition, "event"> {
  const status = session.attempts < session.maxAttempts ? "open" : "failed";
  const message = failureMessage(declineCode);
  const lastPaymentError = { code, decline_code: declineCode, message };
  return { status, paymentStatus: "unpaid", lastPaymentError };
}

/** Returns `checkout_session.completed` for a session after its last transition. */
export function completedEvent(
  session: CheckoutSession,
  request: RequestId | null,
  now: Date,
): NewEvent {
  return renderEvent({
    id: newId("evt", now),
    type: "checkout_session.completed",
    scope: session.scope,
    cause: request && { id: request, idempotencyKey: null },
    objectId: session.id,
    object: JSON.stringify(sessionObject(session, null)),
  });
}
