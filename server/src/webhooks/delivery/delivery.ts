import type { DeliveryStatus } from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../../core/clock.ts";
import type { DeliveryId, EventId, WebhookEndpointId } from "../../core/ids.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import { type AttemptFailure, explainStatus } from "./attempt-failure.ts";

/** A delivery that this process has leased for one attempt. */
export type ClaimedDelivery = {
  readonly scope: Scope;
  readonly id: DeliveryId;
  readonly eventId: EventId;
  /**
   * The uuid of the event's object. The first attempts of deliveries whose events have the same object are sent in
   * order.
   */
  readonly objectId: string;
  readonly endpointId: WebhookEndpointId;
  /** The number of this attempt, from 1. It is counted in the database before the first byte is sent. */
  readonly attempt: number;
  /**
   * The time at which the delivery came due. A released delivery keeps this time, which determines its place in the
   * queue.
   */
  readonly dueAt: Date;
  /**
   * The end of the lease. Together with the process number it is the fencing token: a worker whose lease was taken
   * over cannot write.
   */
  readonly leasedUntil: Date;
  readonly body: Buffer;
};

/** The outcome of one request to an endpoint. */
export type AttemptOutcome =
  | {
      readonly kind: "responded";
      readonly status: number;
      readonly response: string;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: "failed"; readonly failure: AttemptFailure };

/** One entry of a delivery's log, as stored and shown. */
export type LogEntry = {
  readonly at: number;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly failure: AttemptFailure | null;
  readonly response: string | null;
};

/** The state of a delivery after an attempt. */
export type AttemptRecord = {
  readonly delivery: ClaimedDelivery;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  /** Null for an attempt that was released before it began. */
  readonly entry: LogEntry | null;
};

/** The transitions of a delivery. */
export const deliveryTransitions: Transitions<DeliveryStatus> = {
  pending: {
    succeeded: "2xx response",
    given_up: "attempts exhausted, 410 response, or endpoint disabled or deleted",
  },
  succeeded: { pending: "resent" },
  given_up: { pending: "resent" },
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays after failed attempts: the Standard Webhooks schedule, 75 hours in total. */
export const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/**
 * The number of attempts in the schedule. If the server dies during the last attempt, that attempt is repeated under
 * the same number.
 */
export const maxAttempts = retryDelaysMs.length + 1;

/** The maximum wait that an endpoint can request with Retry-After. */
const maxRetryAfterMs = 24 * hour;

/**
 * Returns the next state of a delivery. `random`, between 0 and 1, adds jitter of ±20%, so that deliveries that failed
 * at the same time are retried at different times.
 */
export function afterAttempt(
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  times: { readonly began: Date; readonly durationMs: number; readonly now: Date },
  random: number,
): AttemptRecord {
  const entry = logEntry(outcome, times.began, times.durationMs);
  if (isSuccess(outcome)) return { delivery, status: "succeeded", nextAttemptAt: null, entry };
  const wait = retryDelaysMs[delivery.attempt - 1];
  if (wait === undefined || isFinal(outcome)) {
    return { delivery, status: "given_up", nextAttemptAt: null, entry };
  }
  const spread = wait * (0.8 + 0.4 * random);
  const retryAfterMs = outcome.kind === "responded" ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(spread, Math.min(retryAfterMs, maxRetryAfterMs));
  return {
    delivery,
    status: "pending",
    nextAttemptAt: new Date(times.now.getTime() + waitMs),
    entry,
  };
}

/**
 * Returns the record that releases an attempt before it is sent. The attempt is not counted, and the delivery keeps
 * its due time.
 */
export function releaseDelivery(delivery: ClaimedDelivery): AttemptRecord {
  return { delivery, status: "pending", nextAttemptAt: delivery.dueAt, entry: null };
}

/** Returns the log entry for an attempt whose worker died. The attempt was counted, and its outcome is unknown. */
export function workerLost(foundAt: Date): LogEntry {
  return {
    at: unixSeconds(foundAt),
    duration_ms: 0,
    status_code: null,
    failure: {
      code: "worker_lost",
      message:
        "The server stopped before it recorded the outcome of this attempt. The event may have arrived.",
    },
    response: null,
  };
}

export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === "responded" && outcome.status >= 200 && outcome.status <= 299;
}

/** Returns whether the endpoint responded with 410 Gone. No further events are sent to it. */
export function isGone(outcome: AttemptOutcome): boolean {
  return outcome.kind === "responded" && outcome.status === 410;
}

function isFinal(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "responded") return isGone(outcome);
  return (
    outcome.failure.code === "endpoint_disabled" || outcome.failure.code === "endpoint_deleted"
  );
}

function logEntry(outcome: AttemptOutcome, began: Date, durationMs: number): LogEntry {
  const common = { at: unixSeconds(began), duration_ms: Math.round(durationMs) };
  if (outcome.kind === "failed") {
    return { ...common, status_code: null, failure: outcome.failure, response: null };
  }
  return {
    ...common,
    status_code: outcome.status,
    failure: isSuccess(outcome) ? null : explainStatus(outcome.status),
    // The response is shown in the dashboard, so card numbers and secrets in it are masked.
    response: outcome.response && maskSecrets(outcome.response),
  };
}
