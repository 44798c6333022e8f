import type { Tx } from "../database/sql.ts";
import { newId, type PersonId } from "../primitives/ids.ts";
import { noteActivity } from "./activity.sql.ts";
import { hashSecretText, newSecretText } from "./secret-text.ts";
import { insertSession, renewSession } from "./session.sql.ts";
import { previousTokenMs, type SignedIn } from "./session.ts";
import { sessionCookie } from "./session-cookie.ts";

/** The browser that asks, as the list of sessions shows it. */
export type Browser = { readonly ip: string; readonly userAgent: string };

/**
 * Signs a person in: a new session with a token that no browser had before, so that one which was planted there
 * beforehand is worth nothing. Answers the cookie.
 */
export async function openSession(
  tx: Tx,
  opening: { person: PersonId; secondFactor: boolean; browser: Browser; now: Date },
): Promise<string> {
  const { person, secondFactor, browser, now } = opening;
  const token = newSecretText();
  const session = {
    id: newId("ses", now),
    person,
    secondFactor,
    provedAt: now,
    lastSeenAt: now,
    ...browser,
  };
  await insertSession(tx, session, hashSecretText(token));
  await noteActivity(tx, person, now);
  return sessionCookie(token);
}

/** The session may do more from now on, and so gets another token. Answers the cookie. */
export async function proveAgain(
  tx: Tx,
  { session }: SignedIn,
  { secondFactor, now }: { secondFactor: boolean; now: Date },
): Promise<string> {
  const token = newSecretText();
  await renewSession(tx, session, {
    tokenHash: hashSecretText(token),
    secondFactor,
    provedAt: now,
    previousUntil: new Date(now.getTime() + previousTokenMs),
  });
  return sessionCookie(token);
}
