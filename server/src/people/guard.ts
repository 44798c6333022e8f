import { hash } from "node:crypto";
import type { Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import { ApiError } from "../primitives/api-error.ts";
import { boundConcurrency, Overloaded } from "../primitives/bounded-concurrency.ts";
import type { Clock } from "../primitives/clock.ts";
import type { PersonId } from "../primitives/ids.ts";
import { networkOf } from "../primitives/network.ts";
import { forgetAttempts, forgiveAttempts, lockAttempts, updateAttempts } from "./attempts.sql.ts";
import { judgeTry, type Subject } from "./attempts.ts";
import { tooManyAtOnce } from "./password.ts";
import { foldAddress } from "./person.ts";

/** Slows down whoever tries passwords and codes. It never says whether there is such a person. */
export type Guard = {
  /** Counts one try for each subject; throws the 429 that says when the next is looked at. */
  take(subjects: readonly Subject[]): Promise<void>;
  /** That try was no failure, though nobody got in yet. */
  forgive(subjects: readonly Subject[]): Promise<void>;
  /** Somebody got in with everything that is asked for: their own failures are forgotten. */
  pass(own: Subject, others: readonly Subject[]): Promise<void>;
};

export function openGuard({
  database,
  clock,
  lockOutMs,
}: {
  database: Database;
  clock: Clock;
  /** The lock-out time of a sign-in after too many failures. By default the shortest that PCI DSS allows. */
  lockOutMs?: number;
}): Guard {
  const share = boundConcurrency({ maxRunning: maxConnections, maxWaiting });
  const transaction = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    share(() => database.transaction(work)).catch((error: unknown) => {
      throw error instanceof Overloaded ? tooManyAtOnce() : error;
    });
  const keysOf = (subjects: readonly Subject[]) => subjects.map(({ key }) => key);
  return {
    take: (subjects) =>
      transaction(async (tx) => {
        const now = clock.now();
        const known = await lockAttempts(tx, keysOf(subjects), now);
        for (const subject of subjects) {
          const { key } = subject;
          const before = known.get(key) ?? { failures: 0, lastAt: now, nextAt: now };
          const judged = judgeTry(before, subject, now, lockOutMs);
          // Nothing is written for a try that is not looked at, so waiting never starts anew.
          if (judged.kind === "wait") throw tooSoon(judged.seconds);
          await updateAttempts(tx, key, judged.after);
        }
      }),
    forgive: (subjects) => transaction((tx) => forgiveAttempts(tx, keysOf(subjects), clock.now())),
    pass: (own, others) =>
      transaction(async (tx) => {
        await forgetAttempts(tx, own.key);
        await forgiveAttempts(tx, keysOf(others), clock.now());
      }),
  };
}

/**
 * Attempts with one address wait for one another's row lock. Strangers can send many at once, so they share a few
 * connections of the pool, and payments never wait behind them.
 */
const maxConnections = 2;
const maxWaiting = 128;

const minute = 60_000;

/**
 * A browser in which the person signed in before. Its attempts are counted apart from those of everybody else. Without
 * this, anyone who knows an address could keep its owner out for good by using up the shared limits.
 */
export type KnownBrowser = { readonly id: string };

/**
 * Returns what counts attempts to sign in with this address. The address is hashed, for it may be anything that was
 * typed, a password too. A browser that is known for the address counts for itself alone, so that neither strangers nor
 * others in its network use up its attempts.
 */
export function signInSubjects(email: string, browser: KnownBrowser | null, ip: string): Counted {
  const own = signInOf(email, browser);
  return { own, others: browser ? [] : [signInFrom(ip)] };
}

/** Returns the attempts with this address from a known browser, or from all others. */
export function signInOf(email: string, browser: KnownBrowser | null): Subject {
  const key = `sign_in ${addressHash(email)}${browser ? ` ${browser.id}` : ""}`;
  return { key, free: 5, fadesInMs: 60 * minute, locks: true };
}

/** Attempts that are counted for one person or address, and with others. */
export type Counted = { readonly own: Subject; readonly others: readonly Subject[] };

/**
 * Tries of somebody who is signed in to prove it again. They are counted apart: who knows an address can make its owner
 * wait at the door, and must not reach those who are inside.
 */
export function proofOf(person: PersonId): Subject {
  return { key: `proof ${person}`, free: 5, fadesInMs: 60 * minute, locks: true };
}

/** Passwords that were sent with one link. Each costs an argon2 hash, and only the last is of use. */
export function passwordByLink(token: string): Subject {
  return { key: `link ${hash("sha256", token)}`, free: 5, fadesInMs: 30 * minute };
}

/** Changes of one person's password, each of which costs an argon2 hash. */
export function passwordChangeOf(person: PersonId): Subject {
  return { key: `password ${person}`, free: 5, fadesInMs: 30 * minute };
}

/** Tries from one place, whoever they are to be. Behind one address there may be an office. */
function signInFrom(ip: string): Subject {
  return { key: `sign_in from ${networkOf(ip)}`, free: 20, fadesInMs: minute };
}

/** Returns what counts requests for mail to this address, which may not want it. */
export function mailSubjects(email: string, browser: KnownBrowser | null, ip: string): Subject[] {
  const key = `mail ${addressHash(email)}`;
  const limit = { free: 4, fadesInMs: 10 * minute };
  return browser ? [{ key: `${key} ${browser.id}`, ...limit }] : [{ key, ...limit }, mailFrom(ip)];
}

function mailFrom(ip: string): Subject {
  return { key: `mail from ${networkOf(ip)}`, free: 60, fadesInMs: minute };
}

function addressHash(email: string): string {
  return hash("sha256", foldAddress(email));
}

function tooSoon(seconds: number): ApiError {
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
  return new ApiError("sign_in_throttled", `Too many attempts. Try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}
