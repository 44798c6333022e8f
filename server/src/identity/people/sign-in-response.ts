import type { SignInResult } from "@florin/contract/person.ts";
import type { BrowserResponse } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import type { SignInOutcome } from "./sign-in.ts";

/** Returns the response of a sign-in or a step-up, with the session's cookie. */
export function signInResponse(outcome: SignInOutcome): BrowserResponse {
  if (outcome.kind === "complete") {
    const complete: SignInResult = { object: "sign_in", status: "complete" };
    return { ...ok(complete), cookie: outcome.cookie };
  }
  const more: SignInResult = {
    object: "sign_in",
    status: outcome.kind,
    second_factors: [...outcome.has],
  };
  return ok(more);
}
