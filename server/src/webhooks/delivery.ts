import type { DeliveryStatus } from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../primitives/clock.ts";
import type { DeliveryId, EventId, WebhookEndpointId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";

/** A delivery that this process has leased, for one attempt. */
export type ClaimedDelivery = {
  readonly owner: Owner;
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly endpointId: WebhookEndpointId;
  /**
   * The number of this attempt, from 1; counted before the first byte leaves. No two workers ever hold the same
   * number of the same delivery, so it is also the token that fences off one that comes back too late.
   */
  readonly attempt: number;
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
  | { readonly kind: "failed"; readonly failure: AttemptFailure; readonly sentence: string };

export type AttemptFailure =
  | "connection_refused"
  | "connection_lost"
  | "name_not_found"
  | "address_not_public"
  | "tls_failed"
  | "timeout"
  | "not_http"
  | "endpoint_disabled"
  | "endpoint_deleted"
  | "other";

/** One entry of a delivery's log, as it is kept and shown. */
export type LogEntry = {
  readonly at: number;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly failure: string | null;
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

/** An endpoint may ask for patience with Retry-After; a day is the longest that is granted. */
export const longestRetryAfterMs = 24 * hour;

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

/** An attempt that never began is due again at once, and is not counted. */
export function handBack(delivery: ClaimedDelivery, now: Date): AttemptRecord {
  return { delivery, status: "pending", nextAttemptAt: now, entry: null };
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
  return outcome.failure === "endpoint_disabled" || outcome.failure === "endpoint_deleted";
}

function logEntry(outcome: AttemptOutcome, began: Date, durationMs: number): LogEntry {
  const facts = { at: unixSeconds(began), duration_ms: Math.round(durationMs) };
  if (outcome.kind === "failed") {
    const failure = `${outcome.failure}: ${outcome.sentence}`;
    return { ...facts, status_code: null, failure, response: null };
  }
  const redirected = outcome.status >= 300 && outcome.status <= 399;
  return {
    ...facts,
    status_code: outcome.status,
    failure: redirected
      ? "redirect: Redirects are not followed; set the endpoint's url to the final address."
      : null,
    response: outcome.response,
  };
}
