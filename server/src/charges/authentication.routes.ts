import type { FastifyInstance, FastifyReply } from "fastify";
import { acceptForms, formOf } from "../http/form.ts";
import { noSuch } from "../primitives/api-error.ts";
import { uuidOf } from "../primitives/ids.ts";
import { decodeBase64url } from "../processors/three-d-secure/base64url.ts";
import { readMethodData } from "../processors/three-d-secure/read-message.ts";
import { type Door, type DoorPlace, type Doors, doorPath } from "../three-d-secure/addresses.ts";
import { advance, find } from "../three-d-secure/advance.ts";
import { hearResponse, hearResult } from "../three-d-secure/challenge.ts";
import { followAuthentication } from "./authenticate-charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";

/**
 * The three doors at which the card world comes back to an authentication: its hidden page (`method`) and its
 * challenge page (`notification`) through the cardholder's browser, and the directory server (`results`) by itself.
 * Only what comes in at `results` decides anything.
 */
export function serveAuthenticationDoors(
  app: FastifyInstance,
  deps: ChargeDeps,
  { open }: Pick<Doors, "open">,
): void {
  const { threeDSecure } = deps;

  app.register(async (routes) => {
    acceptForms(routes);

    routes.post<{ Params: DoorPlace }>(pathOf("method"), async (request, reply) => {
      const transaction = opened("method", request.params);
      const json = decodeBase64url(formOf(request).get("threeDSMethodData") ?? "");
      const data = json === null ? null : readMethodData(json);
      const { owner, chargeId } = transaction;
      const current = await find(threeDSecure, owner, chargeId);
      if (current && data?.threeDSServerTransID.toLowerCase() === uuidOf(chargeId)) {
        await advance(threeDSecure, current, { kind: "method_completed" });
      }
      return sendReturned(reply);
    });

    routes.post<{ Params: DoorPlace }>(pathOf("notification"), async (request, reply) => {
      const transaction = opened("notification", request.params);
      const form = formOf(request);
      await hearResponse(threeDSecure, transaction, {
        cres: form.get("cres"),
        threeDSSessionData: form.get("threeDSSessionData"),
      });
      return sendReturned(reply);
    });

    routes.post<{ Params: DoorPlace }>(pathOf("results"), async (request, reply) => {
      const transaction = opened("results", request.params);
      const body = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
      const { answer, authentication } = await hearResult(threeDSecure, transaction, body);
      // The bank is answered when its word is written down; the acquirer is asked after that, and if this process
      // dies before it is, a job goes on.
      if (authentication) void follow(authentication);
      return reply.header("content-type", "application/json; charset=utf-8").send(answer);
    });

    routes.get("/three-d-secure/returned.js", (_request, reply) =>
      reply.header("content-type", "text/javascript; charset=utf-8").send(returnedScript),
    );
  });

  function opened(door: Door, place: DoorPlace) {
    const transaction = open(door, place);
    if (!transaction) throw noSuch("authentication", place.id);
    return transaction;
  }

  async function follow(authentication: Parameters<typeof followAuthentication>[1]): Promise<void> {
    try {
      await followAuthentication(deps, authentication);
    } catch (error) {
      deps.log.inquiryFailed(authentication.chargeId, error);
    }
  }
}

function pathOf(door: Door): string {
  return doorPath.replace(":door", door);
}

/**
 * Where the browser is left: inside the frame that was the bank's. It tells our document around it to look, and says
 * nothing else, so it matters to nobody who frames it.
 */
function sendReturned(reply: FastifyReply): FastifyReply {
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .send(returnedPage);
}

const returnedPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Back from the bank</title><meta name="color-scheme" content="light dark">
<script src="/three-d-secure/returned.js"></script></html>
`;

const returnedScript = `parent.postMessage({ florin: 1, type: "returned" }, location.origin);
`;
