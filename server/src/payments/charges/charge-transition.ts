import type { EventType } from "@florin/contract/event.ts";
import { isNumbered } from "../../cards/payment-methods/masked-card.ts";
import { isFixedTestMethod } from "../../cards/payment-methods/payment-method-id.ts";
import { renderError } from "../../core/api-error.ts";
import { assertNever } from "../../core/assert-never.ts";
import { newId } from "../../core/ids.ts";
import type { Pricing } from "../../core/pricing.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import { type Decision, expiryOf } from "../../risk/decision.ts";
import { reviewOpenedEvent } from "../../risk/review-opened-event.ts";
import { type EventCause, type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import type { CardChange, Change, StoredResponse, Transition } from "../commit/transition.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { chargeTransfers } from "../ledger/posting-rules.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import type { Links } from "../sessions/client-urls.ts";
import { balanceTransactionIdOf, type Charge, decisionIdOf } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { chargeText } from "./charge-text.ts";
import { sessionTransition } from "./charged-session.ts";
import { declineError } from "./decline-error.ts";
import { isLate } from "./index-charges.ts";
import { dueAt } from "./inquiry-schedule.ts";

/** The transition of a charge. It always includes the response to the request that created the charge. */
export type ChargeTransition = Transition<"chargeOutcome"> & { readonly response: StoredResponse };

/** The inputs of a charge's transition, in addition to its next state. */
export type TransitionInputs = {
  readonly session: CheckoutSession | null;
  readonly pricing: Pricing;
  readonly now: Date;
  /** The request that the event names as its cause. Defaults to the request that created the charge. */
  readonly cause?: EventCause | null;
};

/**
 * Returns the transition to a charge's next state: charge, ledger entry, events, session, saved card and response.
 */
export function chargeTransition(
  { links, random }: Pick<ChargeDeps, "links" | "random">,
  charge: Charge,
  { session, pricing, now, cause = causeOf(charge) }: TransitionInputs,
): ChargeTransition {
  const { scope, id, version, checkoutSessionId } = charge;
  const object = chargeText(charge, null);
  // The response for a charge in `requires_action` includes its challenge URL, which events must not contain. Every
  // other response reuses the event's rendering.
  const responseObject = charge.status === "requires_action" ? chargeText(charge, links) : object;
  const { status, body } = responseFor(charge, responseObject, links);
  const event = eventFor(charge, object, cause, now);
  const ended = session && sessionTransition(session, charge, now);
  const review = reviewFor(charge, now);
  // The charge event must be the first, because the stored response may refer to it (`isInEvent`).
  const events: NewEvent[] = [];
  if (event) events.push(event);
  if (ended?.event) events.push(ended.event);
  if (review) events.push(review);
  return {
    scope,
    change: {
      kind: "chargeOutcome",
      id,
      version,
      row: rowOf(charge, dueAt(charge, now, random())),
    },
    entries: charge.status === "succeeded" ? [paymentEntry(charge, pricing)] : noEntries,
    events,
    session: ended && checkoutSessionId ? { id: checkoutSessionId, ...ended } : null,
    card: cardChangeOf(charge),
    response: { status, body, isInEvent: event !== null && body === object },
    isLate: isLate(id, now),
  };
}

const noEntries: readonly Entry[] = [];

/**
 * Returns the ledger entry for the captured amount and our fee. The entry ID is derived from the charge ID, so that no
 * payment can be posted twice.
 */
function paymentEntry(charge: Extract<Charge, { status: "succeeded" }>, pricing: Pricing): Entry {
  const { id, price } = charge;
  const transfers = chargeTransfers(charge.capturedMinor, pricing);
  return { id: balanceTransactionIdOf(id), currency: price.currency, source: id, transfers };
}

/**
 * Returns the columns of the outcome. `dueAt` is the time at which a job processes the charge next, or null if the
 * charge has an outcome or needs manual review.
 */
function rowOf(charge: Charge, dueAt: Date | null): Change<"chargeOutcome">["row"] {
  const failure = charge.status === "failed" ? charge.failure : null;
  return {
    status: charge.status,
    pending_reason: charge.status === "processing" ? charge.pendingReason : null,
    reversal_pending: charge.status === "processing" && charge.reversalPending,
    amount_captured: charge.status === "succeeded" ? charge.capturedMinor : 0,
    capture_before: charge.status === "authorized" ? charge.captureBefore : null,
    checks: charge.checks,
    acquirer_reference: charge.acquirerReference,
    acquirer_details: charge.acquirerDetails,
    card: isNumbered(charge.card) || charge.newDetails === null ? null : charge.card,
    three_d_secure: charge.threeDSecure,
    failure_code: failure?.code ?? null,
    decline_code: failure?.declineCode ?? null,
    network_decline_code: failure?.networkDeclineCode ?? null,
    failure_unconfirmed: charge.status === "failed" && charge.unconfirmed,
    inquiries: charge.inquiries,
    inquiry_restarts: charge.inquiryRestarts,
    due_at: dueAt,
    finalized_at: "finalizedAt" in charge ? charge.finalizedAt : null,
  };
}

/**
 * Returns the changes of the charge's payment method, or null if there are none. The SQL statement that applies the
 * transition saves a card only if the cardholder has consented. A card that was typed in a session without a customer
 * cannot be saved and is soon erased, so nothing is stored about it. A fixed test name has no row.
 */
function cardChangeOf(charge: Charge): CardChange | null {
  const { status, paymentMethodId, customerId, checkoutSessionId, offSession } = charge;
  const { networkTransactionId, newDetails } = charge;
  const approved = status === "authorized" || status === "succeeded";
  // The card of a wallet's token is never saved, but the acquirer's response describes it.
  const isDescribed = !isNumbered(charge.card) && newDetails !== null;
  const canBeSaved = customerId !== null || checkoutSessionId === null;
  const hasPaymentMethodChange = canBeSaved || isDescribed;
  if (!hasPaymentMethodChange || isFixedTestMethod(paymentMethodId)) return null;
  if (!approved && newDetails === null) return null;
  if (!("finalizedAt" in charge)) return null;
  return {
    paymentMethodId,
    customerId,
    approved,
    // A merchant-initiated payment must refer to a payment in which the cardholder took part.
    networkTransactionId: offSession ? null : networkTransactionId,
    newDetails,
    decidedAt: charge.finalizedAt,
  };
}

/**
 * Returns `decision.review_opened` for a charge that the service's own decision holds for review. A decision that the
 * merchant requested never holds a charge, because its review must end before the charge is created.
 */
function reviewFor(charge: Charge, now: Date): NewEvent | null {
  if (charge.status !== "authorized" || charge.risk.outcome !== "review") return null;
  const { id, scope, price, paymentMethodId, customerId, risk, threeDSecure } = charge;
  const { outcome, score, reasons, details } = risk;
  const decision: Decision = {
    id: decisionIdOf(charge),
    scope,
    price,
    paymentMethodId,
    customerId,
    ip: details?.ip ?? null,
    email: details?.email ?? null,
    metadata: {},
    outcome,
    score,
    reasons,
    authenticate: threeDSecure !== null,
    details,
    review: "open",
    chargeId: id,
    chargeVersion: charge.version,
    threeDSecure,
    expiresAt: expiryOf(decisionIdOf(charge)),
    superseded: false,
  };
  return reviewOpenedEvent(decision, causeOf(charge), now);
}

function eventFor(
  charge: Charge,
  object: string,
  cause: EventCause | null,
  now: Date,
): NewEvent | null {
  const type = eventTypeFor(charge);
  if (!type) return null;
  return renderEvent({
    id: newId("evt", now),
    type,
    scope: charge.scope,
    cause,
    objectId: charge.id,
    object,
  });
}

/**
 * Returns the request that created the charge. Omits the idempotency key of a request from the card form, because the
 * merchant does not know that key.
 */
function causeOf({ request, checkoutSessionId }: Charge): EventCause | null {
  return (
    request && { ...request, idempotencyKey: checkoutSessionId ? null : request.idempotencyKey }
  );
}

/**
 * Returns the public name of the event. `payment_failed` is an exception to the `object.action` form of the other
 * names.
 */
function eventTypeFor(charge: Charge): EventType | null {
  switch (charge.status) {
    case "succeeded":
      return "payment.succeeded";
    case "failed":
      return "payment_failed";
    case "authorized":
      return "payment.authorized";
    case "requires_action":
      return "payment.requires_action";
    case "canceled":
      return "payment.canceled";
    case "processing":
      return null;
    default:
      return assertNever(charge);
  }
}

/** Returns the response to the request that created the charge: 402 for a decline, otherwise 201 with the charge. */
export function responseFor(charge: Charge, object: string, { baseUrl }: Links): ApiResponse {
  if (charge.status !== "failed") return { status: 201, body: object };
  const error = declineError(charge);
  const body = renderError(error, charge.request?.id ?? null, baseUrl());
  return { status: error.status, body };
}
