import type { BillingDetails, ShippingDetails } from "@florin/contract/address.ts";
import type { CaptureMethod } from "@florin/contract/charge.ts";
import type {
  CheckoutMode,
  CheckoutSession as CheckoutSessionObject,
  CheckoutSessionStatus,
  LineItem,
  PaymentStatus,
} from "@florin/contract/checkout-session.ts";
import { unixSeconds } from "../../core/clock.ts";
import {
  type AttemptId,
  type ChargeId,
  type CheckoutSessionId,
  type CustomerId,
  createdAt,
  type PaymentMethodId,
  type VerificationId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import type { SessionChange } from "../commit/transition.ts";

/**
 * The maximum number of cards in one session: four for each of the five attempts, because a card form sends a card
 * again after a lost response. The limit prevents a card form from filling the vault.
 */
export const maxCardsPerSession = 20;

/**
 * A payment that the merchant requests and the customer completes in the card form. In mode `setup`, a card that the
 * customer saves.
 */
export type CheckoutSession = {
  readonly id: CheckoutSessionId;
  readonly scope: Scope;
  readonly version: number;
  readonly status: CheckoutSessionStatus;
  readonly mode: CheckoutMode;
  /** Always `unpaid` in mode `setup`. */
  readonly paymentStatus: PaymentStatus;
  /** The amount is zero in mode `setup`. */
  readonly price: Money;
  readonly captureMethod: CaptureMethod;
  readonly customerId: CustomerId | null;
  readonly clientReferenceId: string | null;
  readonly details: SessionDetails;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
  readonly maxAttempts: number;
  readonly attempts: number;
  /**
   * The number of cards and wallet tokens that the card form has stored. Reset to zero when the unsaved ones are
   * erased.
   */
  readonly cardCount: number;
  /** The charge in progress, or else the last charge. */
  readonly chargeId: ChargeId | null;
  /** The verification in progress, or else the last verification. Null in mode `payment`. */
  readonly verificationId: VerificationId | null;
  /** The card that a completed session of mode `setup` has saved. */
  readonly paymentMethodId: PaymentMethodId | null;
  readonly lastPaymentError: SessionChange["lastPaymentError"];
};

/**
 * The transitions of a session. The session changes in the same statement as its charge, and does not expire during a
 * payment.
 */
export const sessionTransitions: Transitions<CheckoutSessionStatus> = {
  open: { processing: "payment attempt started", expired: "expired, or ended by the merchant" },
  processing: {
    requires_action: "3-D Secure required",
    complete: "paid or authorized, or the card is saved",
    open: "declined, attempts remain",
    failed: "declined, no attempts remain",
  },
  requires_action: {
    processing: "3-D Secure completed",
    open: "3-D Secure failed, attempts remain",
    failed: "3-D Secure failed, no attempts remain",
    canceled: "charge canceled by the merchant",
  },
  complete: {},
  expired: {},
  failed: {},
  canceled: {},
};

/** Fields from the merchant that do not affect the session's state. */
export type SessionDetails = {
  readonly customer_email: string | null;
  readonly description: string | null;
  readonly line_items: LineItem[] | null;
  readonly billing_details: BillingDetails | null;
  readonly shipping_details: ShippingDetails | null;
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  readonly return_url: string | null;
  readonly allowed_origins: string[];
  readonly save_payment_method: boolean;
  readonly three_d_secure: "automatic" | "always";
  readonly locale: string | null;
};

/**
 * Returns the session's status at `now`. From `expires_at` on, an open session is `expired`, even if the job has not
 * recorded this yet.
 */
export function statusAt(
  { status, expiresAt }: Pick<CheckoutSession, "status" | "expiresAt">,
  now: Date,
): CheckoutSessionStatus {
  return status === "open" && expiresAt <= now ? "expired" : status;
}

/** The final statuses of a session. */
const endedStatuses = ["complete", "expired", "canceled", "failed"] as const;
export type EndedStatus = (typeof endedStatuses)[number];

export function isEnded(status: CheckoutSessionStatus): status is EndedStatus {
  return (endedStatuses as readonly CheckoutSessionStatus[]).includes(status);
}

/** Returns the charge or card verification in progress, or else the last one. */
export function attemptOf({
  chargeId,
  verificationId,
}: Pick<CheckoutSession, "chargeId" | "verificationId">): AttemptId | null {
  return chargeId ?? verificationId;
}

/** Returns the session's payment status as the API shows it. */
export function paymentStatusOf({
  mode,
  paymentStatus,
}: Pick<CheckoutSession, "mode" | "paymentStatus">): PaymentStatus {
  return mode === "setup" ? "no_payment_required" : paymentStatus;
}

/**
 * Returns the session as an API object. `embedUrl` contains the client secret, whose holder can pay for the session.
 * The URL is null in events, for callers without `payments:write`, and once the session has ended.
 */
export function sessionObject(
  session: CheckoutSession,
  embedUrl: string | null,
): CheckoutSessionObject {
  return {
    id: session.id,
    object: "checkout_session",
    livemode: session.scope.livemode,
    created: unixSeconds(createdAt(session.id)),
    version: session.version,
    mode: session.mode,
    status: session.status,
    payment_status: paymentStatusOf(session),
    amount: session.price.amountMinor,
    currency: session.price.currency,
    capture_method: session.captureMethod,
    customer_id: session.customerId,
    client_reference_id: session.clientReferenceId,
    ...session.details,
    expires_at: unixSeconds(session.expiresAt),
    max_attempts: session.maxAttempts,
    attempts: session.attempts,
    charge_id: session.chargeId,
    payment_method_id: session.paymentMethodId,
    last_payment_error: session.lastPaymentError,
    metadata: session.metadata,
    embed_url: embedUrl,
  };
}
