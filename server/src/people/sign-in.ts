import type { SecondFactor, SignIn } from "@florin/contract/person.ts";
import { ApiError } from "../primitives/api-error.ts";
import { placeOf, signInOf } from "./guard.ts";
import { type Browser, openSession } from "./open-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { readPersonByEmail } from "./person.sql.ts";

export type SignInOutcome =
  | { readonly kind: "complete"; readonly cookie: string }
  | { readonly kind: "second_factor_required"; readonly has: readonly SecondFactor[] };

/** Signs in with a password. An address that nobody has is answered like a wrong password, and as late. */
export async function signIn(
  deps: PeopleDeps,
  given: SignIn,
  browser: Browser,
): Promise<SignInOutcome> {
  const own = signInOf(given.email);
  const place = placeOf(browser.ip);
  await deps.guard.take([own, place]);
  const person = await readPersonByEmail(deps.database.read, given.email);
  const isRight = await deps.passwords.matches(given.password, person?.passwordHash ?? null);
  if (!person || !isRight) throw signInFailed();
  await deps.guard.pass(own, [place]);
  const now = deps.clock.now();
  const cookie = await deps.database.transaction((tx) =>
    openSession(tx, { person: person.id, secondFactor: false, browser, now }),
  );
  return { kind: "complete", cookie };
}

function signInFailed(): ApiError {
  return new ApiError("sign_in_failed", "The email address or the password is not right.");
}
