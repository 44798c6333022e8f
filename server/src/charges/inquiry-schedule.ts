import { type ChargeId, createdAt } from "../primitives/ids.ts";
import type { Charge } from "./charge.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait before each inquiry about a charge whose answer never came: quickly first, then for 72 hours. */
const pausesMs: readonly number[] = [
  3 * second,
  10 * second,
  30 * second,
  2 * minute,
  ...Array<number>(6).fill(5 * minute),
  ...Array<number>(12).fill(30 * minute),
  ...Array<number>(65).fill(hour),
];

/** Pauses vary by a fifth either way, so that an acquirer that comes back is not met by all of them at once. */
const spread = 0.2;

/**
 * When to ask the acquirer next, after `inquiries` of them; null when the schedule is exhausted and a person
 * has to look. `chance` is between 0 and 1.
 */
export function nextInquiry(inquiries: number, now: Date, chance: number): Date | null {
  const pauseMs = pausesMs[inquiries];
  if (pauseMs === undefined) return null;
  return new Date(now.getTime() + pauseMs * (1 - spread + 2 * spread * chance));
}

/**
 * How long the process that asks the acquirer has to finish a charge: the request's 28 s and a little. After
 * that, or as soon as the process is known to be dead, another asks what happened.
 */
export const openLeaseMs = 30 * second;

/** How long a cardholder has for the bank's pages: a little more than the 10 minutes EMV 3-D Secure allows a step. */
export const challengeLifeMs = 15 * minute;

/** Returns when a charge fails if its cardholder has not begun to authenticate: `next_action.expires_at`. */
export function challengeExpiry(id: ChargeId): Date {
  return new Date(createdAt(id).getTime() + challengeLifeMs);
}

/** When somebody has to look at a charge again; null when it is settled, or waits for a person. */
export function dueAt(charge: Charge, now: Date, chance: number): Date | null {
  if (charge.status === "requires_action") return challengeExpiry(charge.id);
  if (charge.status !== "processing" || charge.pendingReason === "manual_review") return null;
  if (charge.pendingReason === null) return new Date(now.getTime() + openLeaseMs);
  return nextInquiry(charge.inquiries, now, chance);
}
