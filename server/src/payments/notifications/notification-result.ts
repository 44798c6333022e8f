import type { Clock } from "../../core/clock.ts";

/** The result of an attempt to apply a notification. */
export type NotificationResult =
  | { readonly state: "applied" | "ignored" }
  | { readonly state: "unmatched" | "review"; readonly problem: string }
  /** The notification stays pending and is applied again at `dueAt`. */
  | { readonly state: "pending"; readonly dueAt: Date };

export const ignored: NotificationResult = { state: "ignored" };
export const applied: NotificationResult = { state: "applied" };

/** Returns the result for a notification that an operator must decide. */
export function inReview(problem: string): NotificationResult {
  return { state: "review", problem };
}

const minute = 60_000;
const hour = 60 * minute;

/**
 * The time after which a notification without a matching object is listed as unmatched. A notification can arrive
 * before the commit of its object.
 */
const matchWithinMs = 24 * hour;

type ClockDeps = { readonly clock: Clock };

/**
 * Returns a result that retries the notification after a tenth of its age, but after 1 s at the earliest and 1 h at the
 * latest. Returns null if the notification is too old.
 */
export function retryLater(
  deps: ClockDeps,
  { receivedAt }: { readonly receivedAt: Date },
): NotificationResult | null {
  const ageMs = deps.clock.now().getTime() - receivedAt.getTime();
  if (ageMs >= matchWithinMs) return null;
  return retryAfter(deps, Math.min(hour, Math.max(1_000, ageMs / 10)));
}

export function retryAfter({ clock }: ClockDeps, delayMs: number): NotificationResult {
  return { state: "pending", dueAt: new Date(clock.now().getTime() + delayMs) };
}
