import type { DeliveryStatus } from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../primitives/clock.ts";
import type { DeliveryId, EventId, WebhookEndpointId } from "../primitives/ids.ts";
import { maskSecrets } from "../primitives/mask-secrets.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";
import { type AttemptFailure, unwantedStatus } from "./attempt-failure.ts";

/** A delivery that this process has leased, for one attempt. */
export type ClaimedDelivery = {
  readonly owner: Owner;
  readonly id: DeliveryId;
  readonly eventId: EventId;
  /** The uuid of what the event is about: its first attempts go out in order. */
  readonly objectId: string;
  readonly endpointId: WebhookEndpointId;
  /** The number of this attempt, from 1; it is counted in the database before the first byte leaves. */
  readonly attempt: number;
  /** When it came due; what is handed back keeps its place in the queue. */
  readonly dueAt: Date;
  /** Together with the process's number this is the fence: who comes back after another took over writes nothing. */
  readonly leasedUntil: Date;
  readonly body: Buffer;
};

/** What came of asking an endpoint once. */
export type AttemptOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly response: string;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: "failed"; readonly failure: AttemptFailure };

/** One entry of a delivery's log, as it is kept and shown. */
export type LogEntry = {
  readonly at: number;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly failure: AttemptFailure | null;
  readonly response: string | null;
};

/** What becomes of a delivery after an attempt. */
export type AttemptRecord = {
  readonly delivery: ClaimedDelivery;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Date | null;
  /** Null for an attempt that was given back before it began. */
  readonly entry: LogEntry | null;
};

/** Where a delivery may go. */
export const deliveryMoves: Moves<DeliveryStatus> = {
  pending: { succeeded: "answered with 2xx", given_up: "its attempts are used up, or 410" },
  succeeded: { pending: "resent" },
  given_up: { pending: "resent" },
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long after a failed attempt the next one comes: the Standard Webhooks schedule, 75 hours in all (contract §6). */
export const waitsMs = [
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

/** The schedule's attempts. The last one, should the server die in it, is made again under its number. */
export const mostAttempts = waitsMs.length + 1;

/** An endpoint may ask for patience with Retry-After; a day is the longest that is granted. */
const longestRetryAfterMs = 24 * hour;

/**
 * Decides what becomes of a delivery. `chance`, between 0 and 1, spreads the retries by ±20 %, so that what failed
 * together does not come back together.
 */
export function afterAttempt(
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  times: { readonly began: Date; readonly durationMs: number; readonly now: Date },
  chance: number,
): AttemptRecord {
  const entry = logEntry(outcome, times.began, times.durationMs);
  if (isSuccess(outcome)) return { delivery, status: "succeeded", nextAttemptAt: null, entry };
  const wait = waitsMs[delivery.attempt - 1];
  if (wait === undefined || isFinal(outcome)) {
    return { delivery, status: "given_up", nextAttemptAt: null, entry };
  }
  const spread = wait * (0.8 + 0.4 * chance);
  const asked = outcome.kind === "answered" ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(spread, Math.min(asked, longestRetryAfterMs));
  return {
    delivery,
    status: "pending",
    nextAttemptAt: new Date(times.now.getTime() + waitMs),
    entry,
  };
}

/** An attempt that never began is due as it was, and is not counted. */
export function handBack(delivery: ClaimedDelivery): AttemptRecord {
  return { delivery, status: "pending", nextAttemptAt: delivery.dueAt, entry: null };
}

/** The entry for an attempt whose worker died: it was counted, and nobody knows what came of it. */
export function workerLost(foundAt: Date): LogEntry {
  return {
    at: unixSeconds(foundAt),
    duration_ms: 0,
    status_code: null,
    failure: {
      code: "worker_lost",
      message:
        "The server stopped before the outcome of this attempt was written down; it may have arrived.",
    },
    response: null,
  };
}

export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === "answered" && outcome.status >= 200 && outcome.status <= 299;
}

/** 410 says: never again (contract §6). */
export function isGone(outcome: AttemptOutcome): boolean {
  return outcome.kind === "answered" && outcome.status === 410;
}

function isFinal(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "answered") return isGone(outcome);
  return (
    outcome.failure.code === "endpoint_disabled" || outcome.failure.code === "endpoint_deleted"
  );
}

function logEntry(outcome: AttemptOutcome, began: Date, durationMs: number): LogEntry {
  const facts = { at: unixSeconds(began), duration_ms: Math.round(durationMs) };
  if (outcome.kind === "failed") {
    return { ...facts, status_code: null, failure: outcome.failure, response: null };
  }
  return {
    ...facts,
    status_code: outcome.status,
    failure: isSuccess(outcome) ? null : unwantedStatus(outcome.status),
    // Whatever a receiver answers is shown to people.
    response: outcome.response && maskSecrets(outcome.response),
  };
}
