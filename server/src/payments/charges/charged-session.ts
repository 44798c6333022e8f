import type { CheckoutSessionStatus, PaymentStatus } from "@florin/contract/checkout-session.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { CheckoutSessionId } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import type { Charge } from "./charge.ts";

/** The effect of a charge's transition on its checkout session. */
export type SessionTransition = {
  readonly status: CheckoutSessionStatus;
  readonly paymentStatus: PaymentStatus;
  readonly lastPaymentError: {
    readonly code: CardErrorCode;
    readonly decline_code: DeclineCode;
    readonly message: string;
  } | null;
  /** `checkout_session.completed`, if this transition completes the session. */
  readonly event: NewEvent | null;
};

/** A session as its charge uses it. An interface, because the sessions' folder depends on this one. */
export type ChargedSession = {
  /** True if the merchant accepts no payment without 3-D Secure (`three_d_secure: "always"`). */
  readonly requiresThreeDSecure: boolean;
  /** Returns the session's change for a charge's new state. */
  transitionFor(charge: Charge, now: Date): SessionTransition;
};

/** Reads the session that a charge belongs to. */
export type ReadChargedSession = (
  owner: Owner,
  session: CheckoutSessionId,
) => Promise<ChargedSession>;
