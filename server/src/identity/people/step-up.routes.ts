import {
  PasskeyOptions,
  ReadLink,
  SignInResult,
  SignInWithPasskey,
  StepUp,
} from "@florin/contract/person.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import type { PeopleDeps } from "./people-deps.ts";
import type { SignedIn } from "./session.ts";
import { becomeOperator } from "./set-up-operator.ts";
import { signInResponse } from "./sign-in-response.ts";
import { stepUp, stepUpWithPasskey } from "./step-up.ts";
import { createPasskeyRequest } from "./verify-passkey.ts";

/** Routes that give a session more rights: a step-up, and the operator's setup link. */
export function stepUpRoutes(deps: PeopleDeps): BrowserRoute<SignedIn>[] {
  const route = browserRoute<SignedIn>();
  return [
    route({
      method: "POST",
      path: "/step_up",
      body: StepUp,
      response: SignInResult,
      handle: async ({ caller, body, ip }) =>
        signInResponse(await stepUp(deps, caller, body, { ip })),
    }),
    route({
      method: "POST",
      path: "/step_up/passkey_options",
      response: PasskeyOptions,
      handle: async ({ caller }) =>
        ok(await createPasskeyRequest(deps, { purpose: "reauthenticate", person: caller.person })),
    }),
    route({
      method: "POST",
      path: "/step_up/passkey",
      body: SignInWithPasskey,
      response: SignInResult,
      async handle({ caller, body }) {
        const cookie = await stepUpWithPasskey(deps, caller, body.credential);
        return signInResponse({ kind: "complete", cookie });
      },
    }),
    route({
      method: "POST",
      path: "/operator_set_up/join",
      body: ReadLink,
      response: SignInResult,
      async handle({ caller, body }) {
        const cookie = await becomeOperator(deps, caller, body.token);
        return signInResponse({ kind: "complete", cookie });
      },
    }),
  ];
}
