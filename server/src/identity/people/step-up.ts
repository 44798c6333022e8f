import type { PasskeyResponse, StepUp } from "@florin/contract/person.ts";
import { ApiError } from "../../core/api-error.ts";
import { proofOf } from "./attempt-limiter.ts";
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
  given: StepUp,
  browser: Pick<Browser, "ip">,
): Promise<SignInOutcome> {
  const { ip } = browser;
  // Failed sign-ins of others in the same network are not counted here, because they must not block signed-in people.
  const counted = { own: proofOf(who.person), others: [], ip };
  const proof = await verifyPassword(deps, { ...given, email: who.email }, counted);
  if (proof.kind === "wrong") throw notProved("The password is incorrect. Try again.", "password");
  if (proof.kind === "wrong_code") throw notProved(wrongCode, proof.field);
  if (proof.kind === "second_factor_required") return proof;
  return { kind: "complete", cookie: await prove(deps, who, proof.secondFactor) };
}

export async function stepUpWithPasskey(
  deps: PeopleDeps,
  who: SignedIn,
  answer: PasskeyResponse,
): Promise<string> {
  const asked = { purpose: "prove", person: who.person } as const;
  if (!(await verifyPasskey(deps, answer, asked))) {
    await recordFailedSignIn(deps, { kind: "passkey", person: who.person, ip: who.ip });
    throw notProved("The passkey is not registered for you, or its response was late. Try again.");
  }
  return prove(deps, who, true);
}

function prove(deps: PeopleDeps, who: SignedIn, secondFactor: boolean): Promise<string> {
  const now = deps.clock.now();
  return deps.database.transaction((tx) => renewAfterStepUp(tx, who, { secondFactor, now }));
}

function notProved(message: string, param?: string): ApiError {
  return new ApiError("proof_invalid", message, param === undefined ? {} : { param });
}
