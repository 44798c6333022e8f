import type { ProcessorName } from "../../acquiring/processor.ts";
import { type AttemptId, createdAt } from "../../core/ids.ts";
import type { Charge, ProcessingCharge } from "./charge.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each status inquiry. Delays grow from seconds to an hour, and the schedule ends after 72 hours. */
const intervalsMs: readonly number[] = [
  3 * second,
  10 * second,
  30 * second,
  2 * minute,
  ...Array<number>(6).fill(5 * minute),
  ...Array<number>(12).fill(30 * minute),
  ...Array<number>(65).fill(hour),
];

/**
 * The jitter: each delay varies by up to 20% in either direction, so that a recovering acquirer does not receive all
 * inquiries simultaneously.
 */
const spread = 0.2;

/**
 * Returns the time of the next status inquiry, given the number already sent. Returns null if the schedule is exhausted
 * and the charge needs manual review. `random` is between 0 and 1.
 */
export function nextInquiry(inquiries: number, now: Date, random: number): Date | null {
  const intervalMs = intervalsMs[inquiries];
  if (intervalMs === undefined) return null;
  return new Date(now.getTime() + intervalMs * (1 - spread + 2 * spread * random));
}

/**
 * The time to wait for a notification of the outcome if the response was lost and the acquirer has no status inquiries.
 * Afterwards the charge is reversed, so that the customer can pay again.
 */
export const notificationWaitMs = 15 * minute;

/**
 * The ages of a charge at which the service sends a cancellation by our reference (docs/operating/adyen.md, "When Adyen
 * does not respond"). A cancellation that finds no payment proves nothing, because the payment may arrive later, so the
 * times are far apart. After the last one the charge needs manual review. Null for an acquirer that confirms each
 * reversal in its response or in an inquiry.
 */
export const cancellationAgesMs: Readonly<Record<ProcessorName, readonly number[] | null>> = {
  simulator: null,
  stripe: null,
  checkout_com: null,
  adyen: [notificationWaitMs, hour, 6 * hour, 24 * hour, 72 * hour],
};

/**
 * Each cancellation is delayed by up to this time, so that the cancellations after an outage are not all sent
 * simultaneously.
 */
const cancellationSpreadMs = 5 * minute;

/**
 * Returns the time of the next status inquiry or reversal of a charge. Returns null if none remains and the charge
 * needs manual review. `random` is between 0 and 1.
 */
export function nextChargeInquiry(
  charge: ProcessingCharge,
  now: Date,
  random: number,
): Date | null {
  const { id, processor, reversalPending, acquirerReference, inquiries } = charge;
  const agesMs = cancellationAgesMs[processor];
  const isCanceled = reversalPending && acquirerReference === null && agesMs !== null;
  // A restart by an operator resets the number of inquiries to 0. Another cancellation is then sent, regardless of the
  // charge's age.
  if (!isCanceled || inquiries === 0) return nextInquiry(inquiries, now, random);
  const startMs = createdAt(id).getTime();
  const nextMs = agesMs.find((ageMs) => startMs + ageMs > now.getTime());
  return nextMs === undefined ? null : new Date(startMs + nextMs + cancellationSpreadMs * random);
}

/**
 * The lease of the process that creates a charge: the maximum duration of the request, 28 seconds, plus a margin. When
 * the lease expires or the process is found dead, another process sends a status inquiry.
 */
export const createLeaseMs = 30 * second;

/**
 * The time for which an attempt waits for the cardholder: the 10 minutes that EMV 3-D Secure allows per step, plus a
 * margin. An authentication that Florin has started has its own deadlines instead (`AuthenticationTiming`).
 */
export const challengeLifeMs = 15 * minute;

/**
 * Returns the time at which a charge or card verification fails if the cardholder has not started to authenticate
 * (`next_action.expires_at`).
 */
export function challengeExpiry(id: AttemptId): Date {
  return new Date(createdAt(id).getTime() + challengeLifeMs);
}

/**
 * Returns the time at which a job processes the charge next, or null if the charge has an outcome or needs manual
 * review.
 */
export function dueAt(charge: Charge, now: Date, random: number): Date | null {
  if (charge.status === "requires_action") return challengeExpiry(charge.id);
  if (charge.status !== "processing" || charge.pendingReason === "manual_review") return null;
  if (charge.pendingReason === null) return new Date(now.getTime() + createLeaseMs);
  return nextChargeInquiry(charge, now, random);
}
