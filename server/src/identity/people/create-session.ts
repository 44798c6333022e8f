import { newId, type PersonId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { recordLastSignIn } from "./last-sign-in.sql.ts";
import { signedOut } from "./read-session.ts";
import { hashSecretText, newSecretText } from "./secret-text.ts";
import { insertSession, lockSession, renewSession } from "./session.sql.ts";
import type { SignedIn } from "./session.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The client of a sign-in, as the list of sessions shows it. */
export type Browser = { readonly ip: string; readonly userAgent: string };

/**
 * Creates a session with a new token and returns its cookie. Never reuses a token that the browser already has, which
 * prevents session fixation.
 */
export async function createSession(
  tx: Tx,
  opening: { person: PersonId; secondFactor: boolean; browser: Browser; now: Date },
): Promise<string> {
  const { person, secondFactor, browser, now } = opening;
  const token = newSecretText();
  const session = {
    id: newId("ses", now),
    person,
    secondFactor,
    authenticatedAt: now,
    lastSeenAt: now,
    ...browser,
  };
  await insertSession(tx, session, hashSecretText(token));
  await recordLastSignIn(tx, person, now);
  return sessionCookie(token);
}

/** Rotates the token after a step-up, because the session now has more rights. Returns the cookie. */
export function renewAfterStepUp(
  tx: Tx,
  who: SignedIn,
  { secondFactor, now }: { secondFactor: boolean; now: Date },
): Promise<string> {
  return replaceToken(tx, who, { secondFactor, at: now });
}

/** Rotates the token, so that a stolen token is valid for a short time only. Returns the cookie. */
export function renewToken(tx: Tx, who: SignedIn): Promise<string> {
  return replaceToken(tx, who, null);
}

/**
 * Throws if the session has ended since the request was authenticated, for example because of a password reset. Locks
 * the session. A request that changes credentials calls this function in its transaction, unless it renews the session.
 */
export async function assertStillSignedIn(tx: Tx, who: SignedIn): Promise<void> {
  if (!(await lockSession(tx, who))) throw signedOut();
}

async function replaceToken(
  tx: Tx,
  who: SignedIn,
  stepUp: { secondFactor: boolean; at: Date } | null,
): Promise<string> {
  const token = newSecretText();
  // Throws if a concurrent request has already rotated the token. The response to that request sets the cookie.
  if (!(await renewSession(tx, who, { tokenHash: hashSecretText(token), stepUp })))
    throw signedOut();
  return sessionCookie(token);
}
