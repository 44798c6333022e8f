import type { PasskeyAnswer, StepUp } from "@florin/contract/person.ts";
import { ApiError } from "../primitives/api-error.ts";
import { type Browser, proveAgain } from "./open-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { provePasskey } from "./prove-passkey.ts";
import { provePassword } from "./prove-password.ts";
import type { SignedIn } from "./session.ts";
import type { SignInOutcome } from "./sign-in.ts";

/** The person at this browser shows again that they are the one who signed in. Answers the session's new cookie. */
export async function stepUp(
  deps: PeopleDeps,
  who: SignedIn,
  given: StepUp,
  browser: Pick<Browser, "ip">,
): Promise<SignInOutcome> {
  const proof = await provePassword(deps, { ...given, email: who.email }, browser.ip);
  if (proof.kind === "wrong") throw notProved();
  if (proof.kind === "second_factor_required") return proof;
  return { kind: "complete", cookie: await prove(deps, who, proof.secondFactor) };
}

export async function stepUpWithPasskey(
  deps: PeopleDeps,
  who: SignedIn,
  answer: PasskeyAnswer,
): Promise<string> {
  const asked = { purpose: "prove", person: who.person } as const;
  if (!(await provePasskey(deps, answer, asked))) throw notProved();
  return prove(deps, who, true);
}

function prove(deps: PeopleDeps, who: SignedIn, secondFactor: boolean): Promise<string> {
  const now = deps.clock.now();
  return deps.database.transaction((tx) => proveAgain(tx, who, { secondFactor, now }));
}

function notProved(): ApiError {
  return new ApiError(
    "proof_invalid",
    "The password, the code or the passkey is not right, or the code was used before.",
  );
}
