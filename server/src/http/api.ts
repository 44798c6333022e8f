import { NoParameters } from "@florin/contract/no-parameters.ts";
import { checkOf } from "@florin/contract/violation.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { ApiError } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import type { RequestId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { type Admit, type Caller, refuseWithoutPermission, refuseWithoutProof } from "./caller.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { readQuery } from "./query.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Answer, ApiRequest, Idempotency, Route } from "./route.ts";
import { pathOf, sendAnswer } from "./server.ts";
import { parseStrictJson } from "./strict-json.ts";

export const apiPrefix = "/api/v1";

export type ApiDeps = {
  readonly admit: Admit;
  readonly clock: Clock;
  readonly rateLimit: RateLimit;
  readonly idempotencyKeys: KeptAnswers;
  /** Told of every request that was answered, whatever with, once its caller was known. */
  readonly noteRequest?: NoteRequest;
};

export type NoteRequest = (
  route: Route,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

/** What the idempotency keys of earlier requests lead to; a later slice hands it in. */
export type KeptAnswers = {
  find(key: { owner: Owner; key: string }): Promise<object | null>;
  replay(owner: Owner, idempotency: Idempotency): Promise<Answer>;
  around(owner: Owner, idempotency: Idempotency, work: () => Promise<Answer>): Promise<Answer>;
};

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/**
 * Serves the public API. Every request goes through the same gates in the same order: authenticate (401), rate
 * limit (429), may they (403), read and check (400), and then its handler (contract §2, trust: "Idempotency, in detail").
 */
export function serveApi(app: FastifyInstance, routes: readonly Route[], deps: ApiDeps): void {
  app.decorateRequest("caller", null);
  const { admit, rateLimit, noteRequest } = deps;

  const gateOf =
    ({ permission }: Route) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      // What follows is for this caller alone, and for no cache on the way or in a browser that others use.
      reply.header("cache-control", "no-store");
      const caller = await admit(request);
      request.caller = caller;
      countAgainst(rateLimit, caller, reply);
      refuseWithoutPermission(caller, permission);
    };

  const noteOf =
    (route: Route, note: NoteRequest) =>
    (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      if (request.caller) note(route, request.caller, request, reply);
      done();
    };

  for (const route of routes) {
    app.route({
      method: route.method,
      url: apiPrefix + route.path,
      ...(route.bodyLimitBytes && { bodyLimit: route.bodyLimitBytes }),
      onRequest: gateOf(route),
      ...(noteRequest && { onResponse: noteOf(route, noteRequest) }),
      handler: async (request, reply) => sendAnswer(reply, await answer(route, request, deps)),
    });
  }
}

function countAgainst(rateLimit: RateLimit, caller: Caller, reply: FastifyReply): void {
  const state = rateLimit(whoseLimit(caller), caller.requestsPerSecond);
  if (!state) return;
  const { limit, remaining, resetSeconds } = state;
  reply.header("ratelimit-limit", String(limit));
  reply.header("ratelimit-remaining", String(remaining));
  reply.header("ratelimit-reset", String(resetSeconds));
}

/** People have limits of their own: a dashboard in ten tabs must not slow down the merchant's server. */
function whoseLimit({ owner, actor }: Caller): string {
  return actor.kind === "person"
    ? actor.id
    : `${owner.livemode ? "live" : "test"} ${owner.account}`;
}

async function answer(route: Route, request: FastifyRequest, deps: ApiDeps): Promise<Answer> {
  const caller = request.caller as Caller;
  const { owner, actor } = caller;
  let idempotency: Idempotency | null = null;
  try {
    const body = route.method === "POST" ? readBody(request) : undefined;
    idempotency = route.method === "POST" ? readIdempotency(request, body) : null;
    refuseViolation(route.body, body);
    // Before anything else that can be wrong with a body that was right once: a mistake is answered with what its
    // idempotency key leads to, and that may be a secret.
    refuseWithoutProof(route.stepUp, caller, body, deps.clock.now());
    const querySchema = route.query ?? NoParameters;
    const query = readQuery(request.query as Record<string, unknown>, querySchema);
    refuseViolation(querySchema, query);
    const asked: ApiRequest = {
      id: request.id as RequestId,
      owner,
      actor,
      ip: request.ip,
      idempotency,
      params: request.params as Record<string, string>,
      body,
      query,
    };
    return idempotency && route.keepsAnswer
      ? await deps.idempotencyKeys.around(owner, idempotency, () => route.handle(asked))
      : await route.handle(asked);
  } catch (error) {
    if (route.method !== "POST" || !isRefusal(error)) throw error;
    // The same request may be refused now only because its first copy has used up what it needed; and a
    // key that is bound to another body, as which counts one that cannot be read, is told before any mistake in this one
    // (contract §4).
    const asked = idempotency ?? readIdempotency(request, String(request.body));
    if (!asked || !(await deps.idempotencyKeys.find({ owner, key: asked.key }))) throw error;
    return deps.idempotencyKeys.replay(owner, asked);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 404);
}

/** A POST without a body is an empty one, for those that need none. */
export function readBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return {};
  const body = parseStrictJson(bytes);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new ApiError("body_invalid_json", "The body must be one JSON object, in braces.");
}

/** The same, of the shape that the schema describes. */
export function readBodyAs<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> {
  const body = readBody(request);
  refuseViolation(schema, body);
  return body as Static<Schema>;
}

export function readIdempotency(request: FastifyRequest, body: unknown): Idempotency | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  // The parser joins several headers of one name with a comma.
  const isOne =
    typeof key === "string" && !(key.includes(", ") && isRepeated(request, "idempotency-key"));
  if (!isOne || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be one header of 1 to 255 printable ASCII characters; a random UUID is a good one.",
      { param: "Idempotency-Key" },
    );
  }
  return { key, fingerprint: fingerprintOf(request.method, pathOf(request), body) };
}

function isRepeated(request: FastifyRequest, name: string): boolean {
  return (request.raw.headersDistinct[name]?.length ?? 0) > 1;
}

export function refuseViolation(schema: Route["body"], value: unknown): void {
  if (!schema) return;
  const violation = checkOf(schema)(value);
  if (violation) throw new ApiError(violation.code, violation.message, { param: violation.param });
}
