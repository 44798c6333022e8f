import { assertNever } from "../../core/assert-never.ts";
import {
  afterFailure,
  completedEvent,
  type SessionTransition,
} from "../charges/charged-session.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import type { CardVerification } from "./card-verification.ts";

/** Returns the session's next state after a transition of its verification. Pure. */
export function sessionAfter(
  session: CheckoutSession,
  verification: CardVerification,
  now: Date,
): SessionTransition {
  const unpaid = { paymentStatus: "unpaid", lastPaymentError: null } as const;
  switch (verification.status) {
    case "processing":
    case "requires_action":
      return { ...unpaid, status: verification.status, event: null };
    case "failed":
      return { ...afterFailure(session, verification.failure), event: null };
    case "succeeded": {
      const { id: verificationId, paymentMethodId, requestId } = verification;
      const change = { ...unpaid, status: "complete", paymentMethodId } as const;
      const version = session.version + 1;
      const after: CheckoutSession = { ...session, ...change, version, verificationId };
      return { ...change, event: completedEvent(after, requestId, now) };
    }
    default:
      return assertNever(verification);
  }
}
