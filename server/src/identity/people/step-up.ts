import type { PasskeyCredential, StepUp } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { stepUpsOf } from "./attempt-limiter.ts";
import { type Browser, renewAfterStepUp } from "./create-session.ts";
import { recordFailedSignIn } from "./failed-sign-in.ts";
import type { PeopleDeps } from "./people-deps.ts";
import type { SignedIn } from "./session.ts";
import { type SignInOutcome, wrongCode } from "./sign-in.ts";
import { verifyPasskey } from "./verify-passkey.ts";
import { verifyPassword } from "./verify-password.ts";

/** Verifies the signed-in person's credentials again. Returns the session's new cookie. */
export async function stepUp(
  deps: PeopleDeps,
  who: SignedIn,
  params: StepUp,
  browser: Pick<Browser, "ip">,
): Promise<SignInOutcome> {
  const { ip } = browser;
  // Failed sign-ins from the same network are not counted here, because they must not block signed-in people.
  const counted = { own: stepUpsOf(who.person), others: [], ip };
  const verified = await verifyPassword(deps, { ...params, email: who.email }, counted);
  if (verified.kind === "wrong")
    throw reauthenticationFailed("The password is incorrect. Try again.", "password");
  if (verified.kind === "wrong_code") throw reauthenticationFailed(wrongCode, verified.field);
  if (verified.kind === "second_factor_required") return verified;
  return { kind: "complete", cookie: await reauthenticate(deps, who, verified.factor !== "none") };
}

export async function stepUpWithPasskey(
  deps: PeopleDeps,
  who: SignedIn,
  credential: PasskeyCredential,
): Promise<string> {
  const expected = { purpose: "reauthenticate", person: who.person } as const;
  if (!(await verifyPasskey(deps, credential, expected))) {
    await recordFailedSignIn(deps, { kind: "passkey", person: who.person, ip: who.ip });
    throw reauthenticationFailed(
      "The passkey is not registered to you, or its response was invalid or arrived too late. Try again.",
    );
  }
  return reauthenticate(deps, who, true);
}

function reauthenticate(deps: PeopleDeps, who: SignedIn, secondFactor: boolean): Promise<string> {
  const now = deps.clock.now();
  return deps.database.autocommit((tx) => renewAfterStepUp(tx, who, { secondFactor, now }));
}

function reauthenticationFailed(message: string, param?: string): ApiError {
  return new ApiError("credentials_invalid", message, param === undefined ? {} : { param });
}
