import { BrowserScreen, type ChallengeStep, ChallengeWindow } from "@florin/contract/challenge.ts";
import { fillPlaceholders } from "@florin/contract/web-address.ts";
import { challengeDocument } from "@florin/embed/src/challenge/document.ts";
import type { EmbedManifest } from "@florin/embed/src/frame/document.ts";
import { acceptedTags } from "@florin/embed/src/frame/locales/choose-locale.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Redirect } from "../../acquiring/outcome.ts";
import { encodeBase64url } from "../../acquiring/three-d-secure/base64url.ts";
import type { ChallengeWindowSize } from "../../acquiring/three-d-secure/message.ts";
import { noSuch } from "../../core/api-error.ts";
import { parseAttemptId, uuidOf } from "../../core/ids.ts";
import { bearerOf } from "../../platform/http/bearer.ts";
import { protectPage } from "../../platform/http/protect-page.ts";
import { readBodyAs } from "../../platform/http/read-request.ts";
import { ok } from "../../platform/http/route.ts";
import { sendResponse } from "../../platform/http/send-response.ts";
import { type Attempt, isVerification } from "../card-verifications/card-verification.ts";
import { readRedirect } from "../charges/acquirer-redirect.sql.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { framingOrigins, returnUrls } from "../sessions/merchant-urls.ts";
import { find } from "./advance-authentication.ts";
import {
  type ChallengedAttempt,
  cancelAuthentication,
  lookUpEnrollment,
  readAttempt,
  sendAuthenticationRequest,
} from "./authenticate-charge.ts";
import type { Authentication } from "./authentication.ts";
import { browserInformation } from "./browser-information.ts";
import { parseScope } from "./callback-urls.ts";
import { startChallenge } from "./challenge.ts";
import type { AuthenticationDeps } from "./three-d-secure-deps.ts";

type ChallengeParams = { Params: { account: string; mode: string; id: string } };

const challengePath = "/challenge/:account/:mode/:id";

/** Replaces the default text for a missing page, because it links to the dashboard, which shoppers cannot use. */
const challengeNotFoundText =
  "This page does not exist or has expired. Open the payment page again from the store.";

/**
 * Serves the challenge document and its private API. The document frames the issuer's page, and is itself shown in the
 * merchant's overlay, in the card form, or as a full page. It contains no card data. Each response is the current step
 * of the authentication, so a reload, a second tab or a retry after a lost response continues from it.
 */
export function serveChallenges(
  app: FastifyInstance,
  deps: AuthenticationDeps,
  manifest: EmbedManifest,
): void {
  const { database, accounts, threeDSecure, links } = deps;

  app.notFoundTexts.set("/challenge/", challengeNotFoundText);
  // The document contains no data of the charge, because the server does not receive the URL fragment with the secret.
  // The document loads the data with the requests below.
  app.get<ChallengeParams & { Querystring: { locale?: string } }>(
    challengePath,
    async (request, reply) => {
      const attempt = await attemptAt(request.params);
      const banks = threeDSecure.issuerOrigins(attempt.scope);
      const session = await sessionOf(attempt);
      // The card form frames the document, even when the card form is a full page on our origin.
      const origins = session
        ? ["'self'", ...framingOrigins(session, await accounts.get(attempt.scope.account))]
        : [];
      protectPage(reply, { origins, frames: banks, formAction: banks });
      const { locale } = request.query;
      const accepted = acceptedTags(request.headers["accept-language"]);
      const locales = [locale, session?.details.locale, ...accepted];
      return reply.send(challengeDocument({ manifest, locales, mode: session?.mode ?? "payment" }));
    },
  );

  app.get<ChallengeParams>(`${challengePath}/step`, async (request, reply) => {
    const attempt = await authenticatedAttempt(request);
    return sendResponse(reply, ok(await stepOf(attempt)));
  });

  app.post<ChallengeParams>(`${challengePath}/begin`, async (request, reply) => {
    const attempt = await authenticatedAttempt(request);
    if (attempt.status === "requires_action") await lookUpEnrollment(deps, attempt);
    return sendResponse(reply, ok(await stepOf(await again(attempt))));
  });

  app.post<ChallengeParams>(`${challengePath}/authenticate`, async (request, reply) => {
    const attempt = await authenticatedAttempt(request);
    const screen = readBodyAs(request, BrowserScreen);
    if (attempt.status === "requires_action") {
      await sendAuthenticationRequest(
        deps,
        attempt,
        browserInformation(screen, browserRequestOf(request)),
      );
    }
    return sendResponse(reply, ok(await stepOf(await again(attempt))));
  });

  app.post<ChallengeParams>(`${challengePath}/challenge`, async (request, reply) => {
    const attempt = await authenticatedAttempt(request);
    const { window_size } = readBodyAs(request, ChallengeWindow);
    const form = await formOf(attempt, window_size);
    if (!form) throw noSuch("challenge", attempt.id);
    return sendResponse(reply, ok(form));
  });

  app.post<ChallengeParams>(`${challengePath}/cancel`, async (request, reply) => {
    const attempt = await authenticatedAttempt(request);
    if (attempt.status === "requires_action") await cancelAuthentication(deps, attempt);
    return sendResponse(reply, ok(await stepOf(await again(attempt))));
  });

  /**
   * Returns the charge or card verification. Throws if the request does not have its secret. The error is the same for
   * a wrong secret and a wrong ID.
   */
  async function authenticatedAttempt(request: FastifyRequest<ChallengeParams>): Promise<Attempt> {
    const { account, mode, id } = request.params;
    const scope = parseScope(account, mode);
    const attemptId = parseAttemptId(id);
    const secret = bearerOf(request);
    if (!scope || !attemptId || !links.clientSecrets.matches(scope, attemptId, secret)) {
      throw noSuch("charge", id);
    }
    return attemptAt(request.params);
  }

  async function attemptAt({ account, mode, id }: ChallengeParams["Params"]): Promise<Attempt> {
    const scope = parseScope(account, mode);
    const attemptId = parseAttemptId(id);
    const attempt = scope && attemptId && (await readAttempt(deps, scope, attemptId));
    if (!attempt) throw noSuch("charge", id);
    return attempt;
  }

  async function again(attempt: Attempt): Promise<Attempt> {
    return (await readAttempt(deps, attempt.scope, attempt.id)) ?? attempt;
  }

  function authenticationOf({ scope, id }: Attempt): Promise<Authentication | null> {
    return find(threeDSecure, scope, id);
  }

  /**
   * Returns the request that opens the issuer's page, or the page of an acquirer that authenticates the cardholder
   * itself. Returns null if there is no such page.
   */
  async function formOf(attempt: Attempt, window: ChallengeWindowSize): Promise<Redirect | null> {
    const current = await authenticationOf(attempt);
    if (!current) {
      if (attempt.status !== "requires_action") return null;
      return (await readRedirect(database.read, attempt))?.redirect ?? null;
    }
    return startChallenge(threeDSecure, current, window);
  }

  async function stepOf(attempt: Attempt): Promise<ChallengeStep> {
    const current = await authenticationOf(attempt);
    const isRedirected = current === null && (await readRedirect(database.read, attempt)) !== null;
    const cardholder_info = current?.cardholderInfo ?? null;
    const ways = { return_url: null, session_url: null };
    const response = { cardholder_info, method: null, passed: null, ...ways };
    if (attempt.status === "requires_action") {
      const next = isRedirected ? ({ step: "challenge" } as const) : nextStep(attempt, current);
      return { ...response, ...next };
    }
    const passed = attempt.status === "processing" ? null : attempt.status !== "failed";
    return { ...response, step: "done", passed, ...(await exitUrls(attempt, passed)) };
  }

  function nextStep(
    attempt: ChallengedAttempt,
    current: Authentication | null,
  ): Pick<ChallengeStep, "step"> & Partial<ChallengeStep> {
    switch (current?.state) {
      case undefined:
        return { step: "authenticate" };
      case "looked_up": {
        const { methodUrl: url, methodCompleted } = current;
        if (url === null || methodCompleted) return { step: "authenticate" };
        return { step: "method", method: { url, data: methodDataOf(attempt) } };
      }
      case "challenged":
      case "challenging":
        return { step: "challenge" };
      case "requested":
      case "ended":
        return { step: "wait" };
    }
  }

  function methodDataOf({ scope, id }: Attempt): string {
    const data = {
      threeDSServerTransID: uuidOf(id),
      threeDSMethodNotificationURL: threeDSecure.callbackUrls.addressesOf(scope, id).method,
    };
    return encodeBase64url(JSON.stringify(data));
  }

  /**
   * Returns the URLs to which the document navigates at the end. `session_url` is the session's page without its client
   * secret, because the holder of a challenge's secret must not be able to pay for the session. If the card form has
   * passed the session's client secret to the document, the document adds the secret to `session_url` and navigates
   * there. Otherwise it navigates to `return_url`, the merchant's URL.
   */
  async function exitUrls(
    attempt: Attempt,
    passed: boolean | null,
  ): Promise<Pick<ChallengeStep, "return_url" | "session_url">> {
    const session = await sessionOf(attempt);
    if (session) {
      const { success_url, cancel_url, return_url } = returnUrls(session);
      return {
        session_url: `${links.baseUrl()}/embed/${session.id}`,
        return_url: (passed ? success_url : cancel_url) ?? return_url,
      };
    }
    // A card verification always has a session.
    if (isVerification(attempt)) return { session_url: null, return_url: null };
    const { id, clientReferenceId, returnUrl } = attempt;
    const return_url =
      returnUrl &&
      fillPlaceholders(returnUrl, {
        CHECKOUT_SESSION_ID: null,
        CHARGE_ID: id,
        CLIENT_REFERENCE_ID: clientReferenceId,
      });
    return { session_url: null, return_url };
  }

  async function sessionOf({ scope, checkoutSessionId }: Attempt): Promise<CheckoutSession | null> {
    return checkoutSessionId ? readSession(database.read, scope, checkoutSessionId) : null;
  }
}

/**
 * Returns the browser information that comes from the request itself: the Accept and User-Agent headers and the IP
 * address.
 */
function browserRequestOf({ headers, ip }: FastifyRequest) {
  return { accept: headers.accept, userAgent: headers["user-agent"], ip };
}
