import { decodeBase64url } from "@florin/server/acquiring/three-d-secure/base64url.ts";
import {
  type MethodData,
  sessionDataLimit,
} from "@florin/server/acquiring/three-d-secure/message.ts";
import {
  readMessage,
  readMethodData,
} from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { acceptForms, formOf } from "@florin/server/platform/http/form-body.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bankLanguage } from "./bank-words.ts";
import type { CardholderInput, Challenge } from "./challenge.ts";
import {
  bankScript,
  bankStyle,
  challengePage,
  emptyPage,
  methodPage,
  notFoundPage,
  responsePage,
} from "./challenge-page.ts";
import type { DirectoryServer } from "./directory-server.ts";
import type { IssuerAcs } from "./issuer-acs.ts";
import { simulatorPaths as paths, type ThreeDSecureSimulatorDeps } from "./simulator-deps.ts";

/**
 * Serves the endpoints of the simulated directory server and ACS, which the service calls over HTTP, as it calls those
 * of real card networks. Only the loopback listener may serve them, because the messages contain card numbers and
 * trigger further requests.
 */
export function serveSimulatedNetwork(
  internal: FastifyInstance,
  { directory, acs }: { directory: DirectoryServer; acs: IssuerAcs },
): void {
  internal.post(paths.directory, async (request, reply) => {
    const response = await directory.receive(textOf(request));
    if (response === null) await untilHungUp(request);
    return sendMessage(reply, response ?? "");
  });
  internal.post(paths.acs, async (request, reply) =>
    sendMessage(reply, await acs.receiveAReq(textOf(request))),
  );
}

/** Serves the ACS pages for existing authentications and challenges to browsers. */
export function serveSimulatedBankPages(
  app: FastifyInstance,
  { isCallbackUrl }: Pick<ThreeDSecureSimulatorDeps, "isCallbackUrl">,
  acs: IssuerAcs,
): void {
  app.register(async (routes) => {
    acceptForms(routes);

    for (const [path, page] of [
      [paths.method, methodPage],
      [paths.silentMethod, emptyPage],
    ] as const) {
      routes.post(path, async (request, reply) => {
        const data = methodDataOf(request);
        const url = data?.threeDSMethodNotificationURL;
        // The secret in the URL identifies an existing authentication and the browser that belongs to it.
        if (!data || !url || !isCallbackUrl("method", url, data.threeDSServerTransID)) {
          return sendPage(reply.code(404), notFoundPage());
        }
        return sendPage(reply, page(data, url));
      });
    }

    routes.post(paths.challenge, async (request, reply) => {
      const form = formOf(request);
      const json = decodeBase64url(form.get("creq") ?? "");
      const read = json === null ? null : readMessage("CReq", json);
      if (read?.kind !== "message") return sendPage(reply.code(400), notFoundPage());
      const data = form.get("threeDSSessionData");
      const sessionData = data !== null && isSessionData(data) ? data : null;
      const challenge = await acs.receiveCReq(read.message.acsTransID.toLowerCase(), sessionData);
      const { threeDSServerTransID } = read.message;
      if (challenge?.threeDSServerTransactionId !== threeDSServerTransID.toLowerCase()) {
        return sendPage(reply.code(404), notFoundPage());
      }
      // Simulates a lost CReq. The browser stays on its page after a 204, and the ACS waits until its timeout.
      if (challenge.behavior === "creq_never_arrives") return reply.code(204).send();
      return sendPage(reply, pageFor(challenge, request));
    });
    routes.post(paths.input, async (request, reply) => {
      const form = formOf(request);
      const id = form.get("acsTransID") ?? "";
      const challenge = isUuid(id) ? await acs.receiveInput(id, responseOf(form)) : null;
      if (!challenge) return sendPage(reply.code(404), notFoundPage());
      return sendPage(reply, pageFor(challenge, request));
    });

    routes.get(paths.script, (_request, reply) =>
      reply.header("content-type", "text/javascript; charset=utf-8").send(bankScript),
    );
    routes.get(paths.style, (_request, reply) =>
      reply.header("content-type", "text/css; charset=utf-8").send(bankStyle),
    );
  });
}

function pageFor(challenge: Challenge, { headers }: FastifyRequest): string {
  const language = bankLanguage(headers["accept-language"]);
  if (challenge.verdict) return responsePage(challenge, challenge.verdict, language);
  return challengePage(challenge, language);
}

function responseOf(form: URLSearchParams): CardholderInput {
  const action = form.get("action");
  if (action === "cancel") return { kind: "cancel" };
  return action === "submit" ? { kind: "code", code: form.get("code") ?? "" } : { kind: "nothing" };
}

function methodDataOf(request: FastifyRequest): MethodData | null {
  const json = decodeBase64url(formOf(request).get("threeDSMethodData") ?? "");
  return json === null ? null : readMethodData(json);
}

/** Returns whether the text is base64url with or without padding, as EMV 3DS allows. */
function isSessionData(text: string): boolean {
  return text.length <= sessionDataLimit && decodeBase64url(text) !== null;
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function textOf(request: FastifyRequest): string {
  return Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
}

/** Waits until the client closes the connection. */
function untilHungUp({ raw }: FastifyRequest): Promise<void> {
  return new Promise((resolve) => {
    raw.socket.once("end", resolve);
    raw.socket.once("close", resolve);
    if (raw.socket.destroyed) resolve();
  });
}

function sendMessage(reply: FastifyReply, message: string): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(message);
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    .send(html);
}
