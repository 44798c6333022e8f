import type { SecondFactor, SignIn } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { type KnownBrowser, signInSubjects } from "./attempt-limiter.ts";
import { beginSession } from "./begin-session.ts";
import type { Browser } from "./create-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { verifyPassword } from "./verify-password.ts";

export type SignInOutcome =
  | { readonly kind: "complete"; readonly cookie: string }
  | { readonly kind: "second_factor_required"; readonly has: readonly SecondFactor[] };

/** Signs in with a password and, if the person has one, a second factor. */
export async function signIn(
  deps: PeopleDeps,
  params: SignIn,
  browser: Browser,
  known: KnownBrowser | null,
): Promise<SignInOutcome> {
  const { ip } = browser;
  const counted = { ...signInSubjects(params.email, known, ip), ip };
  const verified = await verifyPassword(deps, params, counted);
  if (verified.kind === "wrong") throw signInFailed();
  if (verified.kind === "wrong_code")
    throw new ApiError("sign_in_failed", wrongCode, { param: verified.field });
  if (verified.kind !== "verified") return verified;
  const { person, factor } = verified;
  const cookie = await beginSession(deps, person, { factor: { kind: factor }, browser });
  return { kind: "complete", cookie };
}

export const wrongCode =
  "The code is incorrect or was already used. Enter the current code of your authenticator app, or an unused recovery code.";

/** Returns the same error for every cause, so that it does not reveal which part was correct. */
function signInFailed(): ApiError {
  return new ApiError(
    "sign_in_failed",
    "The email address or the password is incorrect. Try again, or reset the password.",
  );
}
