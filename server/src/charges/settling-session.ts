import type { CheckoutSessionStatus, PaymentStatus } from "@florin/contract/checkout-session.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { NewEvent } from "../events/event.ts";
import type { CheckoutSessionId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Charge } from "./charge.ts";

/** What a charge's move does to the checkout session it belongs to. */
export type SessionMove = {
  readonly status: CheckoutSessionStatus;
  readonly paymentStatus: PaymentStatus;
  readonly lastPaymentError: {
    readonly code: CardErrorCode;
    readonly decline_code: DeclineCode;
    readonly message: string;
  } | null;
  /** `checkout_session.completed`, when this completes it. */
  readonly event: NewEvent | null;
};

/** A session as its charge sees it. The sessions are a later slice, so they hand this in. */
export type SettlingSession = {
  /** The merchant takes no payment without 3-D Secure (`three_d_secure: "always"`). */
  readonly demandsThreeDSecure: boolean;
  /** What becomes of the session when its charge becomes this. */
  moveFor(charge: Charge, now: Date): SessionMove;
};

/** Reads the session that a charge belongs to. */
export type ReadSettlingSession = (
  owner: Owner,
  session: CheckoutSessionId,
) => Promise<SettlingSession>;
