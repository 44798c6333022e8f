import {
  CompleteSignUp,
  EmailLink,
  PasskeyOptions,
  ReadLink,
  RequestEmail,
  ResetPassword,
  SetUpOperator,
  SignIn,
  SignInResult,
  SignInWithPasskey,
  statusOf,
} from "@florin/contract/person.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import { knownBrowserCookie, markBrowser, readKnownBrowser } from "./known-browser.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { requestEmail } from "./request-email.ts";
import { resetPassword } from "./reset-password.ts";
import { clearedCookie } from "./session-cookie.ts";
import { setUpOperator } from "./set-up-operator.ts";
import { signIn } from "./sign-in.ts";
import { signInResponse } from "./sign-in-response.ts";
import { signInWithPasskey } from "./sign-in-with-passkey.ts";
import { completeSignUp } from "./sign-up.ts";
import { readLinkWithoutUse } from "./use-link.ts";
import { createPasskeyRequest } from "./verify-passkey.ts";

/** Routes for signing in, which need no session. */
export function signInRoutes(deps: PeopleDeps): BrowserRoute<null>[] {
  const route = browserRoute<null>();
  const mailSentResponse = statusOf("mail", "sent");
  const mailSent = ok({ object: "mail", status: "sent" });
  return [
    route({
      method: "POST",
      path: "/sign_up",
      body: RequestEmail,
      response: mailSentResponse,
      async handle({ body, ip, cookies }) {
        const browser = await readKnownBrowser(deps.secrets, cookies, body.email);
        await requestEmail(deps, "sign_up", { email: body.email, ip, browser });
        return mailSent;
      },
    }),
    route({
      method: "POST",
      path: "/sign_up/complete",
      body: CompleteSignUp,
      response: SignInResult,
      async handle({ body, ...browser }) {
        const { cookie, email } = await completeSignUp(deps, body, browserOf(browser));
        const known = await knownBrowserCookie(deps.secrets, email);
        return {
          ...signInResponse({ kind: "complete", cookie }),
          cookie: [cookie, known],
          status: 201,
        };
      },
    }),
    route({
      method: "POST",
      path: "/reset",
      body: RequestEmail,
      response: mailSentResponse,
      async handle({ body, ip, cookies }) {
        const browser = await readKnownBrowser(deps.secrets, cookies, body.email);
        await requestEmail(deps, "reset_password", { email: body.email, ip, browser });
        return mailSent;
      },
    }),
    route({
      method: "POST",
      path: "/reset/complete",
      body: ResetPassword,
      response: statusOf("password", "changed"),
      async handle({ body, ip, cookies }) {
        const email = await resetPassword(deps, body, { ip, cookies });
        // Marks the browser as known. The owner, whom the link has identified, can then sign in here even while
        // attackers have locked the email address. The session cookie is cleared, because the password reset ended the
        // session of this browser.
        const known = await knownBrowserCookie(deps.secrets, email);
        const changed = ok({ object: "password", status: "changed" });
        return { ...changed, cookie: [clearedCookie, known] };
      },
    }),
    route({
      method: "POST",
      path: "/links/read",
      body: ReadLink,
      response: EmailLink,
      async handle({ body }) {
        const link = await readLinkWithoutUse(deps, body.token);
        const email = link.purpose === "set_up_operator" ? null : link.email;
        const object: EmailLink = { object: "link", purpose: link.purpose, email };
        return ok(object);
      },
    }),
    route({
      method: "POST",
      path: "/sign_in",
      body: SignIn,
      response: SignInResult,
      async handle({ body, cookies, ...browser }) {
        const { email } = body;
        const known = await readKnownBrowser(deps.secrets, cookies, email);
        const outcome = await signIn(deps, body, browserOf(browser), known);
        const result = signInResponse(outcome);
        if (known || outcome.kind !== "complete") return result;
        return {
          ...result,
          cookie: [outcome.cookie, await knownBrowserCookie(deps.secrets, email)],
        };
      },
    }),
    route({
      method: "POST",
      path: "/passkeys/sign_in_options",
      response: PasskeyOptions,
      handle: async () =>
        ok(await createPasskeyRequest(deps, { purpose: "sign_in", person: null })),
    }),
    route({
      method: "POST",
      path: "/passkeys/sign_in",
      body: SignInWithPasskey,
      response: SignInResult,
      async handle({ body, cookies, ...browser }) {
        const signedIn = await signInWithPasskey(deps, body.credential, browserOf(browser));
        const { cookie, email } = signedIn;
        const known = await markBrowser(deps.secrets, cookies, email);
        return { ...signInResponse({ kind: "complete", cookie }), cookie: [cookie, ...known] };
      },
    }),
    route({
      method: "POST",
      path: "/operator_set_up",
      body: SetUpOperator,
      response: SignInResult,
      async handle({ body, cookies, ...browser }) {
        const cookie = await setUpOperator(deps, body, browserOf(browser));
        const known = await markBrowser(deps.secrets, cookies, body.email);
        return { ...signInResponse({ kind: "complete", cookie }), cookie: [cookie, ...known] };
      },
    }),
  ];
}

function browserOf({ ip, userAgent }: { ip: string; userAgent: string }) {
  return { ip, userAgent };
}
