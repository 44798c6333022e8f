import type { FastifyInstance, FastifyReply } from "fastify";
import { decodeBase64url } from "../../acquiring/three-d-secure/base64url.ts";
import { readMethodData } from "../../acquiring/three-d-secure/read-message.ts";
import { noSuch } from "../../core/api-error.ts";
import { uuidOf } from "../../core/ids.ts";
import { acceptForms, formOf } from "../../platform/http/form-body.ts";
import { advance, find } from "./advance-authentication.ts";
import { followAuthentication, resumeAuthorization } from "./authenticate-charge.ts";
import { type Callback, type CallbackParameters, callbackPath } from "./callback-urls.ts";
import { applyAuthenticateResponse, applyAuthenticationResult } from "./challenge.ts";
import type { AuthenticationDeps, ThreeDSecureDeps } from "./three-d-secure-deps.ts";

/**
 * Serves the callback URLs that the cardholder's browser requests. `method` is requested after the hidden method page,
 * and `notification` after the challenge page. These two do not determine the outcome. `return` is requested after the
 * page of an acquirer that authenticates the cardholder itself. It continues the authorization, and the acquirer's
 * response contains the outcome.
 */
export function serveAuthenticationCallbacks(app: FastifyInstance, deps: AuthenticationDeps): void {
  const { threeDSecure } = deps;

  app.register(async (routes) => {
    acceptForms(routes);

    routes.post<{ Params: CallbackParameters }>(pathOf("method"), async (request, reply) => {
      const transaction = transactionOf(threeDSecure, "method", request.params);
      const json = decodeBase64url(formOf(request).get("threeDSMethodData") ?? "");
      const data = json === null ? null : readMethodData(json);
      const { scope, attemptId } = transaction;
      const current = await find(threeDSecure, scope, attemptId);
      if (current && data?.threeDSServerTransID.toLowerCase() === uuidOf(attemptId)) {
        await advance(threeDSecure, current, { kind: "method_completed" });
      }
      return sendReturned(reply);
    });

    routes.post<{ Params: CallbackParameters }>(pathOf("notification"), async (request, reply) => {
      const transaction = transactionOf(threeDSecure, "notification", request.params);
      const form = formOf(request);
      await applyAuthenticateResponse(threeDSecure, transaction, {
        cres: form.get("cres"),
        threeDSSessionData: form.get("threeDSSessionData"),
      });
      return sendReturned(reply);
    });

    // The acquirer's page redirects with GET or submits a form.
    routes.route<{ Params: CallbackParameters; Querystring: Record<string, string> }>({
      method: ["GET", "POST"],
      url: pathOf("return"),
      handler: async (request, reply) => {
        const transaction = transactionOf(threeDSecure, "return", request.params);
        const parameters =
          request.method === "GET" ? new URLSearchParams(request.query) : formOf(request);
        const given = returnParameters.map((name) => parameters.get(name)).find(Boolean);
        if (given) await resumeAuthorization(deps, transaction, given);
        return sendReturned(reply);
      },
    });

    routes.get("/three-d-secure/returned.js", (_request, reply) =>
      reply.header("content-type", "text/javascript; charset=utf-8").send(returnedScript),
    );
  });
}

/** The parameters that Adyen, Stripe and Checkout.com add to the return URL. */
const returnParameters = [
  "redirectResult",
  "payment_intent",
  "setup_intent",
  "cko-session-id",
] as const;

/**
 * Serves the URL to which the directory server sends the result of a challenge. This result determines the outcome. In
 * test mode, the directory server runs in this process, so the URL is on the loopback listener. In live mode, the URL
 * is public.
 */
export function serveResultsCallback(
  app: FastifyInstance,
  deps: AuthenticationDeps,
  { livemode }: { readonly livemode: boolean },
): void {
  app.post<{ Params: CallbackParameters }>(pathOf("results"), async (request, reply) => {
    const transaction = transactionOf(deps.threeDSecure, "results", request.params);
    if (transaction.scope.livemode !== livemode) throw noSuch("authentication", request.params.id);
    const body = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
    const { response, authentication } = await applyAuthenticationResult(
      deps.threeDSecure,
      transaction,
      body,
    );
    // The result is committed, so the response does not wait for the acquirer. If this process crashes, a job continues
    // the charge.
    if (authentication) void follow(deps, authentication);
    return reply.header("content-type", "application/json; charset=utf-8").send(response);
  });
}

function transactionOf(
  { callbackUrls }: ThreeDSecureDeps,
  callback: Callback,
  place: CallbackParameters,
) {
  const transaction = callbackUrls.open(callback, place);
  if (!transaction) throw noSuch("authentication", place.id);
  return transaction;
}

async function follow(
  deps: AuthenticationDeps,
  authentication: Parameters<typeof followAuthentication>[1],
): Promise<void> {
  try {
    await followAuthentication(deps, authentication);
  } catch (error) {
    deps.log.inquiryFailed(authentication.attemptId, error);
  }
}

function pathOf(callback: Callback): string {
  return callbackPath.replace(":callback", callback);
}

/**
 * Sends the page that the browser shows in the issuer's frame after its redirect. The page only sends our challenge
 * document a message to check the status, so the page reveals nothing if another site frames it.
 */
function sendReturned(reply: FastifyReply): FastifyReply {
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    .send(returnedPage);
}

const returnedPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Authentication complete</title><meta name="color-scheme" content="light dark">
<script src="/three-d-secure/returned.js"></script></html>`;

const returnedScript = `parent.postMessage({ florin: 1, type: "returned" }, location.origin);
`;
