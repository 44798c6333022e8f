/** How often somebody tried to get in and failed, at one address. */
export type Attempts = {
  /** Fades with time, and so need not be whole. */
  readonly failures: number;
  readonly lastAt: Date;
  readonly nextAt: Date;
};

/** Whose failures are counted together, how many are free of any wait, and in what time one of them is forgotten. */
export type Subject = { readonly key: string; readonly free: number; readonly fadesInMs: number };

const second = 1_000;
const firstWaitMs = 5 * second;
const longestWaitMs = 15 * 60 * second;

export type Try = { kind: "wait"; seconds: number } | { kind: "go"; after: Attempts };

/**
 * Whether a try is looked at now. It counts as failed from the start, so that a thousand at once are no more than
 * one after the other; who gets in is forgiven.
 */
export function judgeTry(before: Attempts, subject: Omit<Subject, "key">, now: Date): Try {
  const waitMs = before.nextAt.getTime() - now.getTime();
  if (waitMs > 0) return { kind: "wait", seconds: Math.ceil(waitMs / second) };
  const faded = (now.getTime() - before.lastAt.getTime()) / subject.fadesInMs;
  const failures = Math.max(0, before.failures - faded) + 1;
  const nextAt = new Date(now.getTime() + waitAfter(failures, subject.free));
  return { kind: "go", after: { failures, lastAt: now, nextAt } };
}

/** None for the first few, then 5 s, 10 s, 20 s, … up to a quarter of an hour. */
function waitAfter(failures: number, free: number): number {
  const over = Math.round(failures) - free;
  return over < 0 ? 0 : Math.min(firstWaitMs * 2 ** Math.min(over, 20), longestWaitMs);
}
