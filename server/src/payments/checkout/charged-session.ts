import assert from "node:assert/strict";
import { newId } from "../../core/ids.ts";
import { unreachable } from "../../core/unreachable.ts";
import type { Database } from "../../platform/database/database.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import type { Charge } from "../charges/charge.ts";
import type {
  ChargedSession,
  ReadChargedSession,
  SessionTransition,
} from "../charges/charged-session.ts";
import { declineError } from "../charges/decline-error.ts";
import { readSession } from "./checkout-session.sql.ts";
import { type CheckoutSession, sessionObject } from "./checkout-session.ts";

/** Returns a reader of sessions for the charges that change them. */
export function chargedSessionReader(database: Database): ReadChargedSession {
  return async (owner, id) => {
    const session = await readSession(database.read, owner, id);
    assert(session, `${id} has a charge but is missing`);
    return chargedSession(session);
  };
}

/** Returns a session as its charge uses it. */
export function chargedSession(session: CheckoutSession): ChargedSession {
  return {
    requiresThreeDSecure: session.details.three_d_secure === "always",
    transitionFor: (charge, now) => {
      const move = transitionOf(session, charge);
      const event = move.status === "complete" ? completed(session, move, charge, now) : null;
      return { ...move, event };
    },
  };
}

/** Returns a session's next state for its charge. Pure. */
function transitionOf(
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
      return unreachable(charge);
  }
}

function errorOf(
  charge: Extract<Charge, { status: "failed" }>,
): SessionTransition["lastPaymentError"] {
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
    owner: session.owner,
    cause: charge.request && { id: charge.request.id, idempotencyKey: null },
    objectId: session.id,
    object: JSON.stringify(sessionObject(after, null)),
  });
}
