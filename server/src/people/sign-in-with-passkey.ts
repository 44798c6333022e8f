import type { PasskeyAnswer } from "@florin/contract/person.ts";
import { type Browser, openSession } from "./open-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { provePasskey } from "./prove-passkey.ts";
import { signInFailed } from "./sign-in.ts";

/** A passkey says whose it is, and is device and finger at once. Guessing it is no danger, so no tries are counted. */
export async function signInWithPasskey(
  deps: PeopleDeps,
  answer: PasskeyAnswer,
  browser: Browser,
): Promise<string> {
  const person = await provePasskey(deps, answer, { purpose: "sign_in", person: null });
  if (!person) throw signInFailed();
  const now = deps.clock.now();
  return deps.database.transaction((tx) =>
    openSession(tx, { person, secondFactor: true, browser, now }),
  );
}
