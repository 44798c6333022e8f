/** Failed attempts of one subject. */
export type Attempts = {
  /** Decays with time, and so need not be an integer. */
  readonly failures: number;
  readonly lastAt: Date;
  readonly nextAt: Date;
};

/** Failures that are counted together under one key. */
export type Subject = {
  readonly key: string;
  /** The number of attempts without a wait. */
  readonly free: number;
  /** The time after which one failure no longer counts. */
  readonly fadesInMs: number;
  /** True if `maxFailures` failures lock the subject for the lock-out time. */
  readonly locks?: true;
  /** True if the client is unknown. Its attempts then wait in the queue of unknown clients. */
  readonly isUnknown?: boolean;
};

/** PCI DSS 8.3.4: an account is locked after at most ten invalid attempts. */
export const maxFailures = 10;

/** PCI DSS 8.3.4: a locked account stays locked for at least 30 minutes, or until its owner is identified. */
export const minLockOutMinutes = 30;

const second = 1_000;
const firstWaitMs = 5 * second;
const maxWaitMs = 15 * 60 * second;

export type Try = { kind: "wait"; seconds: number } | { kind: "go"; after: Attempts };

/**
 * Returns whether an attempt may be evaluated now. Counts the attempt as failed before it is evaluated, so that
 * concurrent attempts have no advantage over sequential attempts. A successful attempt is subtracted again.
 */
export function evaluateAttempt(
  before: Attempts,
  subject: Omit<Subject, "key">,
  now: Date,
  lockOutMs = minLockOutMinutes * 60 * second,
): Try {
  // Concurrent attempts may read the clock before they wait for the lock, so `now` can be earlier than the last
  // attempt. Without a wait, `nextAt` equals `lastAt` and delays no attempt.
  const waits = before.nextAt > before.lastAt;
  const waitMs = waits ? before.nextAt.getTime() - now.getTime() : 0;
  if (waitMs > 0) return { kind: "wait", seconds: Math.ceil(waitMs / second) };
  const faded = (now.getTime() - before.lastAt.getTime()) / subject.fadesInMs;
  const failures = Math.max(0, before.failures - faded) + 1;
  const isLocked = subject.locks && Math.round(failures) >= maxFailures;
  const waitAfterMs = isLocked ? lockOutMs : waitAfter(failures, subject.free);
  const nextAt = new Date(now.getTime() + waitAfterMs);
  return { kind: "go", after: { failures, lastAt: now, nextAt } };
}

/** Returns the wait after the last failure: none below `free` failures, then 5 s, 10 s and so on, up to 15 minutes. */
function waitAfter(failures: number, free: number): number {
  const over = Math.round(failures) - free;
  return over < 0 ? 0 : Math.min(firstWaitMs * 2 ** Math.min(over, 20), maxWaitMs);
}
