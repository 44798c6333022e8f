import type { Event, EventType } from "@florin/contract/event.ts";
import type { SessionAttempt, TimelineEntry } from "@florin/contract/timeline.ts";
import type { OperationKind } from "../../acquiring/processor.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, type EventId } from "../../core/ids.ts";
import { type Charge, decisionIdOf } from "../../payments/charges/charge.ts";
import type { FailedAttempt } from "../../payments/charges/charge-attempt.sql.ts";
import type { Operation } from "../../payments/operations/operation.ts";
import { refundIdOf } from "../../payments/operations/refund.ts";

/** An event of the charge, its session, a refund or a dispute, as published. */
export type TimelineEvent = {
  readonly id: EventId;
  readonly type: EventType;
  readonly body: string;
};

type Step = { readonly at: Date; readonly entry: Omit<TimelineEntry, "at" | "actor"> };

/** A timeline entry without its actor, which is read later from the request log. */
export type EntryWithoutActor = Omit<TimelineEntry, "actor">;

/** Returns the history of a payment, oldest first: requests, the decision and all events. */
export function timelineOf(
  charge: Charge,
  attempts: readonly FailedAttempt[],
  operations: readonly Operation[],
  events: readonly TimelineEvent[],
): EntryWithoutActor[] {
  const steps = [
    requested(charge),
    decided(charge),
    ...attempts.map((attempt) => rerouted(charge, attempt)),
    ...operations.map(requestStep),
    ...events.map(eventStep),
    ...outcomesWithoutEvent(charge, events),
  ];
  // Sorts by millisecond, although the API shows seconds. The sort is stable and keeps the order above for equal
  // times.
  return steps
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, entry }) => ({ at: unixSeconds(at), ...entry }));
}

const noEvent = { event_id: null, request_id: null, idempotency_key: null } as const;

function requested({ id, price, request }: Charge): Step {
  const entry = {
    type: "charge.requested",
    object_id: id,
    event_id: null,
    request_id: request?.id ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    status: "processing",
    amount: price.amountMinor,
    reason: null,
  } as const;
  return { at: createdAt(id), entry };
}

/**
 * Returns the risk decision. A merchant can request the decision before it creates the charge. Otherwise the service
 * decides when the charge is created.
 */
function decided(charge: Charge): Step {
  const id = decisionIdOf(charge);
  const { outcome, reasons } = charge.risk;
  const entry = {
    ...noEvent,
    type: "decision.made",
    object_id: id,
    status: outcome,
    amount: charge.price.amountMinor,
    reason: reasons[0] ?? null,
  } as const;
  return { at: createdAt(id), entry };
}

/** Returns the switch to another acquirer after an attempt that was declined or not processed. */
function rerouted({ id, price }: Charge, { outcome, reason, endedAt }: FailedAttempt): Step {
  const entry = {
    ...noEvent,
    type: "charge.rerouted",
    object_id: id,
    status: "processing",
    amount: price.amountMinor,
    reason: reason ?? outcome,
  } as const;
  return { at: endedAt, entry };
}

/** Returns the outcomes whose events are deleted. Events are kept for a month, outcomes permanently. */
function outcomesWithoutEvent(charge: Charge, events: readonly TimelineEvent[]): Step[] {
  return outcomesOf(charge).filter(
    ({ entry }) => !events.some((event) => event.type === entry.type),
  );
}

function outcomesOf(charge: Charge): Step[] {
  if (!("finalizedAt" in charge)) return [];
  const { id, status, price, finalizedAt } = charge;
  const reason = status === "failed" ? charge.failure.declineCode : null;
  const common = { ...noEvent, object_id: id, amount: price.amountMinor } as const;
  if (status === "failed" && charge.failureEntry) {
    const failed = { ...common, type: "payment.capture_failed", status, reason } as const;
    return [
      {
        at: finalizedAt,
        entry: { ...common, type: "payment.succeeded", status: "succeeded", reason: null },
      },
      { at: createdAt(charge.failureEntry), entry: failed },
    ];
  }
  const amount = status === "succeeded" ? charge.capturedMinor : price.amountMinor;
  return [{ at: finalizedAt, entry: { ...common, type: endedAs[status], status, amount, reason } }];
}

const endedAs = {
  authorized: "payment.authorized",
  succeeded: "payment.succeeded",
  failed: "payment_failed",
  canceled: "payment.canceled",
} as const;

const requestTypes = {
  capture: "capture.requested",
  void: "cancel.requested",
  refund: "refund.requested",
} as const satisfies Record<OperationKind, string>;

function requestStep(operation: Operation): Step {
  const { id, kind, chargeId, price, reason, request } = operation;
  const entry = {
    type: requestTypes[kind],
    object_id: kind === "refund" ? refundIdOf(id) : chargeId,
    event_id: null,
    request_id: request?.id ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    // The outcome of the operation. A successful operation also has an event. A rejected capture has no event.
    status: operation.status,
    amount: price.amountMinor,
    reason: operation.status === "failed" ? operation.failureCode : reason,
  } as const;
  return { at: createdAt(id), entry };
}

const captureEvents: ReadonlySet<string> = new Set(["payment.captured", "payment.succeeded"]);

function eventStep({ id, type, body }: TimelineEvent): Step {
  const { request, data } = JSON.parse(body) as Event;
  const { id: objectId, status, decline_code, failure_reason, reason } = data.object;
  // A capture may be for a part of the authorized amount.
  const amount = captureEvents.has(type) ? data.object.amount_captured : data.object.amount;
  const entry = {
    type,
    object_id: String(objectId),
    event_id: id,
    request_id: request?.id ?? null,
    idempotency_key: request?.idempotency_key ?? null,
    status: textOr(status),
    amount: typeof amount === "number" ? amount : null,
    reason: textOr(decline_code) ?? textOr(failure_reason) ?? textOr(reason),
  };
  return { at: createdAt(id), entry };
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Returns one attempt to pay a session. */
export function attemptObject(charge: Charge): SessionAttempt {
  return {
    charge_id: charge.id,
    created: unixSeconds(createdAt(charge.id)),
    status: charge.status,
    amount: charge.price.amountMinor,
    currency: charge.price.currency,
    brand: charge.card.brand,
    last4: charge.card.last4,
    decline_code: charge.status === "failed" ? charge.failure.declineCode : null,
  };
}
