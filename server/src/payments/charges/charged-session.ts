import assert from "node:assert/strict";
import { assertNever } from "../../core/assert-never.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import type { SessionChange } from "../commit/transition.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import { type CheckoutSession, sessionObject } from "../sessions/checkout-session.ts";
import type { Charge, FailedCharge } from "./charge.ts";
import { declineError } from "./decline-error.ts";

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
  const event = move.status === "complete" ? completed(session, move, charge, now) : null;
  return { ...move, event };
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
    case "failed": {
      // The customer may correct the card and retry until no attempts are left.
      const lastPaymentError = errorOf(charge);
      const status = session.attempts < session.maxAttempts ? "open" : "failed";
      return { status, paymentStatus: "unpaid", lastPaymentError };
    }
    case "canceled":
      return { ...unpaid, status: "canceled" };
    default:
      return assertNever(charge);
  }
}

function errorOf(charge: FailedCharge): SessionTransition["lastPaymentError"] {
  const { code, declineCode } = charge.failure;
  return { code, decline_code: declineCode, message: declineError(charge).message };
}

function completed(
  session: CheckoutSession,
  move: Omit<SessionTransition, "event">,
  charge: Charge,
  now: Date,
): NewEvent {
  const after: CheckoutSession = {
    ...session,
    ...move,
    version: session.version + 1,
    chargeId: charge.id,
  };
  return renderEvent({
    id: newId("evt", now),
    type: "checkout_session.completed",
    scope: session.scope,
    cause: charge.request && { id: charge.request.id, idempotencyKey: null },
    objectId: session.id,
    object: JSON.stringify(sessionObject(after, null)),
  });
}
