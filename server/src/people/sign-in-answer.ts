import type { SignInResult } from "@florin/contract/person.ts";
import type { DoorAnswer } from "../http/door.ts";
import { ok } from "../http/route.ts";
import type { SignInOutcome } from "./sign-in.ts";

/** What the page hears of a sign-in or a step-up, and the cookie that only the browser keeps. */
export function signInAnswer(outcome: SignInOutcome): DoorAnswer {
  if (outcome.kind === "complete") {
    const complete: SignInResult = { object: "sign_in", status: "complete" };
    return { ...ok(complete), cookie: outcome.cookie };
  }
  const more: SignInResult = {
    object: "sign_in",
    status: outcome.kind,
    second_factors: outcome.has,
  };
  return ok(more);
}
