import { hash } from "node:crypto";
import { ApiError } from "../../core/api-error.ts";
import { boundConcurrency, Overloaded } from "../../core/bounded-concurrency.ts";
import type { Clock } from "../../core/clock.ts";
import type { PersonId } from "../../core/ids.ts";
import { networkOf, siteOf } from "../../core/network.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { hashRecipient } from "../../platform/mail/hash-recipient.ts";
import {
  lockAttempts,
  readAttempts,
  resetAttempts,
  subtractFailures,
  updateAttempts,
} from "./attempts.sql.ts";
import { evaluateAttempt, type Subject } from "./attempts.ts";
import { type Client, tooManyConcurrentHashes } from "./password.ts";

/** Limits attempts with passwords and codes. Never reveals whether a person exists. */
export type AttemptLimiter = {
  /**
   * Counts one attempt for each of `subjects`. Throws a 429 with the time until the next allowed attempt if any of
   * `subjects` or `others` allows no attempt now. Attempts of `others` are not counted.
   */
  take(subjects: readonly Subject[], others?: readonly Subject[]): Promise<void>;
  /** Subtracts an attempt whose credentials were correct, although the sign-in is not complete yet. */
  forgive(subjects: readonly Subject[]): Promise<void>;
  /** Resets the failures of `own` after a complete sign-in, and subtracts the attempt from `others`. */
  pass(own: Subject, others: readonly Subject[]): Promise<void>;
};

export function createAttemptLimiter({
  database,
  clock,
  lockOutMs,
}: {
  database: Database;
  clock: Clock;
  /** The lock-out time of a sign-in after too many failures. By default the shortest that PCI DSS allows. */
  lockOutMs?: number;
}): AttemptLimiter {
  const queues = {
    unknown: boundConcurrency({ maxRunning: maxConnections, maxWaiting }),
    known: boundConcurrency({ maxRunning: maxConnections, maxWaiting }),
  } satisfies Record<Client, unknown>;
  const transaction = <Result>(
    subjects: readonly Subject[],
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result> => {
    const client = subjects.some(({ isUnknown }) => isUnknown) ? "unknown" : "known";
    return queues[client](() => database.transaction(work)).catch((error: unknown) => {
      throw error instanceof Overloaded ? tooManyConcurrentHashes() : error;
    });
  };
  const keysOf = (subjects: readonly Subject[]) => subjects.map(({ key }) => key);
  return {
    take: (subjects, others = []) =>
      transaction(subjects, async (tx) => {
        const now = clock.now();
        const uncounted = await readAttempts(tx, keysOf(others));
        for (const subject of others) {
          const before = uncounted.get(subject.key);
          const evaluated = before && evaluateAttempt(before, subject, now, lockOutMs);
          if (evaluated?.kind === "wait") throw tooSoon(evaluated.seconds);
        }
        const known = await lockAttempts(tx, keysOf(subjects), now);
        for (const subject of subjects) {
          const { key } = subject;
          const before = known.get(key) ?? { failures: 0, lastAt: now, nextAt: now };
          const evaluated = evaluateAttempt(before, subject, now, lockOutMs);
          // A rejected attempt writes nothing, so it does not extend the wait.
          if (evaluated.kind === "wait") throw tooSoon(evaluated.seconds);
          await updateAttempts(tx, key, evaluated.after);
        }
      }),
    forgive: (subjects) =>
      transaction(subjects, (tx) => subtractFailures(tx, keysOf(subjects), clock.now())),
    pass: (own, others) =>
      transaction([own, ...others], async (tx) => {
        await resetAttempts(tx, own.key);
        await subtractFailures(tx, keysOf(others), clock.now());
      }),
  };
}

/**
 * The maximum number of pool connections that the attempts of one queue use at the same time, so that payments never
 * wait for attempts. Attempts for the same email address wait for the same row lock, and an attacker can send many such
 * attempts concurrently. Attempts of unknown clients have a separate queue. Otherwise many unknown clients could keep
 * signed-in people from reauthenticating.
 */
const maxConnections = 1;
const maxWaiting = 128;

const minute = 60_000;

/**
 * A browser in which the person signed in before. Its attempts are counted separately. Otherwise anyone who knows an
 * email address could lock its owner out by using up the shared limits.
 */
export type KnownBrowser = { readonly id: string };

/**
 * Returns the counters of sign-ins with this email address. The address is hashed, because a user may have typed a
 * password in its place. A browser that is known for the address has a separate counter, so that other clients cannot
 * use up its attempts, even from the same network.
 */
export function signInSubjects(email: string, browser: KnownBrowser | null, ip: string): Counted {
  const own = signInOf(email, browser);
  return { own, others: browser ? [] : [signInFrom(ip)] };
}

/** Returns the counter of attempts with this email address from a known browser, or from all other browsers. */
export function signInOf(email: string, browser: KnownBrowser | null): Subject {
  const key = `sign_in ${hashRecipient(email)}${browser ? ` ${browser.id}` : ""}`;
  return { key, free: 5, fadesInMs: 60 * minute, locks: true };
}

/**
 * Returns the counter of verified passwords that belongs to a counter of attempts. Verified passwords are not failures,
 * but each costs an argon2 hash, and each sign-in adds a session and audit entries. Without a limit, anyone who has
 * signed up could fill the database and the queue of password checks.
 */
export function verifiedPasswordsOf({ key }: Subject): Subject {
  return { key: `verified ${key}`, free: 30, fadesInMs: minute };
}

/** The counter of one person or email address, and the counters that are shared with others. */
export type Counted = { readonly own: Subject; readonly others: readonly Subject[] };

/**
 * Returns the counter of a signed-in person's step-ups. They are counted separately, because an attacker who knows an
 * email address can delay its owner's sign-in, but must not delay signed-in people.
 */
export function stepUpsOf(person: PersonId): Subject {
  return { key: `step_up ${person}`, free: 5, fadesInMs: 60 * minute, locks: true };
}

/** Returns the counter of passwords submitted with one link. Each submission costs an argon2 hash. */
export function passwordByLink(token: string, client: Client): Subject {
  const isUnknown = client === "unknown";
  return { key: `link ${hash("sha256", token)}`, free: 5, fadesInMs: 30 * minute, isUnknown };
}

/** Returns the counter of one person's password changes, each of which costs an argon2 hash. */
export function passwordChangeOf(person: PersonId): Subject {
  return { key: `password ${person}`, free: 5, fadesInMs: 30 * minute };
}

/**
 * Returns the counter of failed sign-ins from one network, for all email addresses together. Sign-ins from known
 * browsers are not counted. The limit is higher than that of one address, because people in an office share a network.
 */
function signInFrom(ip: string): Subject {
  return { key: `sign_in from ${networkOf(ip)}`, free: 20, fadesInMs: minute, isUnknown: true };
}

/**
 * Returns the counters of requests for mail to this email address. They limit unwanted mail to the owner of the
 * address. Each known browser and each other network has a separate counter, so that no other person can delay the mail
 * that the owner requests. The daily limits of mail bound the requests of many networks together.
 */
export function mailSubjects(email: string, browser: KnownBrowser | null, ip: string): Subject[] {
  const key = `mail ${hashRecipient(email)}`;
  const limit = { free: 4, fadesInMs: 10 * minute };
  if (browser) return [{ key: `${key} ${browser.id}`, ...limit }];
  return [{ key: `${key} from ${siteOf(ip) ?? networkOf(ip)}`, ...limit }, mailFrom(ip)];
}

function mailFrom(ip: string): Subject {
  return { key: `mail from ${networkOf(ip)}`, free: 60, fadesInMs: minute, isUnknown: true };
}

function tooSoon(seconds: number): ApiError {
  const wait =
    seconds > 90
      ? `${Math.ceil(seconds / 60)} minutes`
      : `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return new ApiError("sign_in_throttled", `Too many attempts. Try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}
