/** How often somebody tried to get in and failed, at one address. */
export type Attempts = { readonly failures: number; readonly lastAt: Date; readonly nextAt: Date };

/** Whose failures are counted together, and how many are free of any wait. */
export type Subject = { readonly key: string; readonly free: number };

const second = 1_000;
const firstWaitMs = 5 * second;
const longestWaitMs = 15 * 60 * second;

/** Without another try for a day, the failures are forgotten. */
export const forgottenAfterMs = 24 * 60 * 60 * second;

export type Try = { kind: "wait"; seconds: number } | { kind: "go"; after: Attempts };

/**
 * Whether a try is looked at now. It counts as failed from the start, so that a thousand at once are no more than
 * one after the other; who gets in is forgiven.
 */
export function judgeTry(before: Attempts, free: number, now: Date): Try {
  const waitMs = before.nextAt.getTime() - now.getTime();
  if (waitMs > 0) return { kind: "wait", seconds: Math.ceil(waitMs / second) };
  const isForgotten = now.getTime() - before.lastAt.getTime() > forgottenAfterMs;
  const failures = (isForgotten ? 0 : before.failures) + 1;
  const nextAt = new Date(now.getTime() + waitAfter(failures, free));
  return { kind: "go", after: { failures, lastAt: now, nextAt } };
}

/** None for the first few, then 5 s, 10 s, 20 s, … up to a quarter of an hour. */
function waitAfter(failures: number, free: number): number {
  if (failures < free) return 0;
  return Math.min(firstWaitMs * 2 ** Math.min(failures - free, 20), longestWaitMs);
}
