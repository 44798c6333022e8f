import { NoParameters } from "@florin/contract/no-parameters.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import type { AccountId, RequestId } from "../../core/ids.ts";
import { clientAddress } from "../../core/network.ts";
import { limitKeyOf, type Scope } from "../../core/scope.ts";
import type { Siblings } from "../processes/siblings.ts";
import { type Admit, assertCredentialsVerified, assertPermission, type Caller } from "./caller.ts";
import { createMerchantConcurrency, type MerchantConcurrency } from "./merchant-concurrency.ts";
import { readQuery } from "./query.ts";
import type { RateLimit, RateLimitState } from "./rate-limit.ts";
import {
  readBody,
  readIdempotency,
  readIdempotencyOfRejected,
  rejectSchemaViolation,
} from "./read-request.ts";
import { acceptUploads, createUploadReader, type ReadUpload } from "./read-upload.ts";
import type { ApiRequest, ApiResponse, Idempotency, Route } from "./route.ts";
import { sendResponse } from "./send-response.ts";
import { type ThrottleReads, throttleLargeReads } from "./throttle-large-reads.ts";
import { type LimitUnread, limitUnreadResponses } from "./unread-responses.ts";

export const apiPrefix = "/api/v1";

/**
 * The caller is authenticated again in two cases: when the body has arrived and the request has taken longer than this
 * time, and before a page of a download if the last authentication is older. A client can take 30 seconds to send a
 * body, but all servers must reject a revoked key within a second.
 */
const reauthenticateAfterMs = 1_000;

export type ApiDeps = {
  readonly admit: Admit;
  readonly clock: Clock;
  readonly rateLimit: RateLimit;
  readonly siblings?: Siblings;
  readonly idempotencyKeys: StoredResponses;
  /** Returns whether underwriting has ever approved the account, read from the database. */
  readonly wasApproved: (account: AccountId) => Promise<boolean>;
  /** Called after each request whose caller was authenticated, regardless of the response. */
  readonly onRequest?: NoteRequest;
};

export type NoteRequest = (
  route: Route,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

/** The stored responses of earlier requests with an idempotency key, implemented by `platform/idempotency`. */
export type StoredResponses = {
  find(key: { scope: Scope; key: string }): Promise<{ readonly fingerprint: Buffer } | null>;
  /**
   * Returns the response to the first request with this key, and waits for it if necessary. Returns null when the key
   * is free, or becomes free because the first request failed.
   */
  replay(scope: Scope, idempotency: Idempotency): Promise<ApiResponse | null>;
  runWithoutTransaction(
    scope: Scope,
    idempotency: Idempotency,
    work: () => Promise<ApiResponse>,
  ): Promise<ApiResponse>;
};

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/**
 * Serves the public API. Every request passes the same checks in the same order: authentication (401), rate limit
 * (429), permission and mode (403) and validation (400). Then its handler runs.
 */
export function serveApi(app: FastifyInstance, routes: readonly Route[], deps: ApiDeps): void {
  app.decorateRequest("caller", null);
  const { admit, rateLimit, onRequest, wasApproved } = deps;

  const checkCallerOf =
    ({ permission, peopleOnly, changesBothModes }: Route) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const caller = await admit(request);
      request.caller = caller;
      const counted = countAgainst(rateLimit, caller, reply);
      if (counted) await counted;
      assertPermission(caller, permission);
      if (peopleOnly && caller.actor.kind !== "person") throw signedInPersonRequired();
      const { account, livemode } = caller.scope;
      if (changesBothModes && !livemode && (await wasApproved(account))) throw liveModeRequired();
    };

  const noteOf =
    (route: Route, note: NoteRequest) =>
    (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      if (request.caller) note(route, request.caller, request, reply);
      done();
    };

  const readUpload = createUploadReader(deps.siblings);
  const readLimits: ReadLimits = {
    read: createMerchantConcurrency({ maxRunning: 4, maxWaiting: 200 }),
    scan: createMerchantConcurrency({ maxRunning: 1, maxWaiting: 20 }),
    throttle: throttleLargeReads(),
    limitUnread: limitUnreadResponses(),
  };

  const serveRoute = (routes: FastifyInstance, route: Route): void => {
    routes.route({
      method: route.method,
      url: apiPrefix + route.path,
      config: {
        access: {
          authentication: "key_or_session",
          permission: route.permission,
          limit: "account",
          ...(route.upload && { maxUploadBytes: route.upload.maxBytes }),
        },
      },
      onRequest: checkCallerOf(route),
      ...(onRequest && { onResponse: noteOf(route, onRequest) }),
      handler: async (request, reply) =>
        sendResponse(reply, await response(route, request, reply, readUpload, readLimits, deps)),
    });
  };

  for (const route of routes) {
    const { upload } = route;
    if (!upload) {
      serveRoute(app, route);
      continue;
    }
    app.register((uploads, _options, done) => {
      acceptUploads(uploads, upload.mediaTypes);
      serveRoute(uploads, route);
      done();
    });
  }
}

function signedInPersonRequired(): ApiError {
  return new ApiError(
    "permission_denied",
    "Only signed-in people can call this endpoint. Use the dashboard instead of a key.",
  );
}

/**
 * Counts the request against its caller's limit. Returns a promise only if it must wait for the primary process. Throws
 * a 429 when the limit is exceeded.
 */
export function countAgainst(
  rateLimit: RateLimit,
  caller: Caller,
  reply: FastifyReply,
): Promise<void> | null {
  const state = rateLimit(rateLimitKeyOf(caller), caller.requestsPerSecond);
  if (state instanceof Promise) return state.then((known) => sendState(reply, known));
  sendState(reply, state);
  return null;
}

function sendState(reply: FastifyReply, state: RateLimitState | null): void {
  if (!state) return;
  const { limit, remaining, resetSeconds } = state;
  reply.header("ratelimit-limit", String(limit));
  reply.header("ratelimit-remaining", String(remaining));
  reply.header("ratelimit-reset", String(resetSeconds));
}

/**
 * Returns the key of the caller's rate limit. Each person has a separate limit, so that a dashboard in ten tabs does
 * not use up the limit of the merchant's server.
 */
function rateLimitKeyOf({ scope, actor }: Caller): string {
  return actor.kind === "person" ? actor.id : limitKeyOf(scope);
}

async function response(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  readUpload: ReadUpload,
  readLimits: ReadLimits,
  deps: ApiDeps,
): Promise<ApiResponse> {
  // Authenticates the caller before the body is parsed, because after an error in the body, a stored response may be
  // returned.
  if (isLate(reply) && !route.upload) await admitAgain(route, request, deps.admit);
  const { query, queryError } = checkQuery(route, request);
  let idempotency: Idempotency | null = null;
  const { scope } = request.caller as Caller;
  try {
    let body: unknown;
    if (route.upload) {
      const upload = await readUpload(request, scope.account, route.upload);
      if (isLate(reply)) await admitAgain(route, request, deps.admit);
      const { sha256, mediaType } = upload;
      body = upload;
      idempotency = readIdempotency(request, { query, media_type: mediaType, sha256 });
    } else if (route.method === "POST") {
      body = readBody(request, route.body ?? NoParameters);
      // Routes with a JSON body that set `peopleOnly` change what belongs to the person, such as preferences. Another
      // person of the account who sends the same key must not get the first person's response.
      const { id: person } = (request.caller as Caller).actor;
      idempotency = readIdempotency(request, route.peopleOnly ? { person, body } : body);
    }
    const caller = request.caller as Caller;
    const { actor, permissions } = caller;
    // Runs before all other checks of a request with a valid body. If a later check fails, the response that is stored
    // under the idempotency key may be returned instead of the error, and that response can contain a secret.
    assertCredentialsVerified(route.stepUp, caller, body, deps.clock.now());
    if (queryError) throw queryError;
    const apiRequest: ApiRequest = {
      id: request.id as RequestId,
      scope,
      actor,
      permissions,
      authenticatedAt: caller.authenticatedAt,
      ip: clientAddress(request.ip),
      idempotency,
      params: request.params as Record<string, string>,
      body,
      query,
    };
    const handle = () => handleWithinLimit(route, apiRequest, reply, readLimits);
    const handled =
      idempotency && route.storesResponse
        ? await deps.idempotencyKeys.runWithoutTransaction(scope, idempotency, handle)
        : await handle();
    if (!handled.stream) return handled;
    return {
      ...handled,
      stream: whileAdmitted(handled.stream, () => admitAgain(route, request, deps.admit)),
    };
  } catch (error) {
    if (route.method !== "POST" || !isRejection(error)) throw error;
    // The request may be rejected because the first request with this key succeeded and changed the object. The stored
    // response is therefore returned instead of the error. If the key was used with another body, this conflict is
    // reported before any error in the present body, even if that body cannot be parsed.
    const used = idempotency ?? readIdempotencyOfRejected(request);
    const stored = used && (await deps.idempotencyKeys.find({ scope, key: used.key }));
    if (!used || !stored) throw error;
    // The query is not part of the fingerprint, so an error in the query is reported for a replay as well.
    if (error === queryError && stored.fingerprint.equals(used.fingerprint)) throw error;
    const storedResponse = await deps.idempotencyKeys.replay(scope, used);
    if (!storedResponse) throw error;
    return storedResponse;
  }
}

function isLate(reply: FastifyReply): boolean {
  return reply.elapsedTime > reauthenticateAfterMs;
}

/** Authenticates the caller again and checks its permission. The request was already counted against its limit. */
async function admitAgain(
  { permission }: Route,
  request: FastifyRequest,
  admit: Admit,
): Promise<void> {
  const caller = await admit(request);
  request.caller = caller;
  assertPermission(caller, permission);
}

/**
 * Yields the pages of a download. Throws an error when the caller may no longer read them, because a download can last
 * for hours.
 */
async function* whileAdmitted<Page>(
  pages: AsyncIterable<Page>,
  admitCaller: () => Promise<void>,
): AsyncGenerator<Page> {
  let admittedAt = performance.now();
  for await (const page of pages) {
    if (performance.now() - admittedAt > reauthenticateAfterMs) {
      await admitCaller();
      admittedAt = performance.now();
    }
    yield page;
  }
}

/**
 * The limits on one merchant's reads: concurrent list pages, concurrent scans of a thousand objects, large responses,
 * and unread responses.
 */
type ReadLimits = {
  readonly read: MerchantConcurrency;
  readonly scan: MerchantConcurrency;
  readonly throttle: ThrottleReads;
  readonly limitUnread: LimitUnread;
};

function handleWithinLimit(
  route: Route,
  apiRequest: ApiRequest,
  reply: FastifyReply,
  { read, scan, throttle, limitUnread }: ReadLimits,
): Promise<ApiResponse> {
  const limit = route.scans ? scan : route.method === "GET" ? read : null;
  if (!limit) return route.handle(apiRequest);
  const merchant = limitKeyOf(apiRequest.scope);
  const handle = () => limitUnread(reply, merchant, () => route.handle(apiRequest));
  // A scan returns a small response. If it were throttled, the merchant's other reads would wait until it ends.
  return limit(merchant, () => (route.scans ? handle() : throttle(merchant, handle)));
}

/**
 * Returns the error for a request in test mode that would change data that live mode shares. Test keys and people
 * without a second factor must not change live mode.
 */
function liveModeRequired(): ApiError {
  return new ApiError(
    "live_mode_required",
    "Test mode and live mode share this object. The account is approved for live mode, so the object can be changed only in live mode. Send the request again in live mode: with a live key if keys may send it, or in the dashboard, where live mode requires two-step verification.",
  );
}

type CheckedQuery = { readonly query: object; readonly queryError: ApiError | null };

const noQuery: CheckedQuery = { query: Object.freeze({}), queryError: null };

function isEmpty(query: object): boolean {
  for (const _name in query) return false;
  return true;
}

/**
 * Reads and checks the query. Returns an error instead of throwing it, so that the caller can throw errors that take
 * precedence.
 */
function checkQuery(
  { query: schema = NoParameters }: Route,
  request: FastifyRequest,
): CheckedQuery {
  // Allocates nothing in the common case, a request without a query.
  if (schema === NoParameters && isEmpty(request.query as object)) return noQuery;
  try {
    const query = readQuery(request.query as Record<string, unknown>, schema);
    rejectSchemaViolation(schema, query);
    return { query, queryError: null };
  } catch (error) {
    if (error instanceof ApiError) return { query: {}, queryError: error };
    throw error;
  }
}

function isRejection(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 404);
}
