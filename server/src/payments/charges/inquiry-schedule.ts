import { type ChargeId, createdAt } from "../../core/ids.ts";
import type { Charge } from "./charge.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each status inquiry: short at first, then for 72 hours. */
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
 * The jitter of the delays, one fifth either way, so that a recovering acquirer does not receive all inquiries at
 * once.
 */
const spread = 0.2;

/**
 * Returns the time of the next status inquiry after `inquiries` of them, or null if the schedule is exhausted and
 * manual review is due. `random` is between 0 and 1.
 */
export function nextInquiry(inquiries: number, now: Date, random: number): Date | null {
  const intervalMs = intervalsMs[inquiries];
  if (intervalMs === undefined) return null;
  return new Date(now.getTime() + intervalMs * (1 - spread + 2 * spread * random));
}

/**
 * The lease of the process that creates a charge: the request's 28 s and a margin. After it, or once the process is
 * known to be dead, another process sends a status inquiry.
 */
export const openLeaseMs = 30 * second;

/** The time limit of a challenge: a margin above the 10 minutes that EMV 3-D Secure allows per step. */
export const challengeLifeMs = 15 * minute;

/** Returns when a charge fails if its cardholder has not begun to authenticate: `next_action.expires_at`. */
export function challengeExpiry(id: ChargeId): Date {
  return new Date(createdAt(id).getTime() + challengeLifeMs);
}

/** Returns when a charge is processed next, or null if it has reached an end or needs manual review. */
export function dueAt(charge: Charge, now: Date, random: number): Date | null {
  if (charge.status === "requires_action") return challengeExpiry(charge.id);
  if (charge.status !== "processing" || charge.pendingReason === "manual_review") return null;
  if (charge.pendingReason === null) return new Date(now.getTime() + openLeaseMs);
  return nextInquiry(charge.inquiries, now, random);
}
