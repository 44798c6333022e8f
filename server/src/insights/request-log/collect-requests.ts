import type { Permission } from "@florin/contract/permissions.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RequestId } from "../../core/ids.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";
import { clientAddress } from "../../core/network.ts";
import { mapInTimeSlices } from "../../core/time-slices.ts";
import type { Database } from "../../platform/database/database.ts";
import { isUnavailable } from "../../platform/database/unavailable.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Route } from "../../platform/http/route.ts";
import { pathOf } from "../../platform/http/server.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { alone, type Siblings } from "../../platform/processes/siblings.ts";
import type { StoredRequest } from "./logged-request.ts";
import { maskBody } from "./mask-body.ts";
import { maskUrl } from "./mask-url.ts";
import { objectsOf } from "./object-ids-in-request.ts";
import { insertRequests } from "./request-log.sql.ts";
import { createSampler } from "./sampling.ts";

/** Collects finished requests and inserts them once a second. */
export type RequestLog = {
  note(route: Route, caller: Caller, request: FastifyRequest, reply: FastifyReply): void;
  start(background: Background): Loop;
  /** Resolves when every request noted before the call is in the log. */
  flush(): Promise<void>;
};

/** The maximum queue length. While the database is unavailable, requests beyond this length are counted and dropped. */
const maxWaiting = 5_000;
const batchSize = 500;

/**
 * Merchants' applications for live mode contain identity documents and a bank account, so the bodies of requests about
 * them are never logged.
 */
const confidential: ReadonlySet<Permission> = new Set(["application:read", "application:write"]);

type Noted = {
  readonly route: Route;
  readonly caller: Caller;
  readonly id: RequestId;
  readonly url: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: FastifyRequest["headers"];
  readonly ip: string;
  readonly status: number;
  readonly durationMs: number;
  readonly sent: Buffer | null;
  readonly responseBody: string | null;
  readonly leftOut: number;
};

/**
 * Collects requests in memory. A request only adds itself to the queue. Parsing, masking and inserting happen later,
 * once a second for all queued requests.
 */
export function createRequestLog(database: Database, siblings: Siblings = alone): RequestLog {
  const sample = createSampler(siblings);
  let waiting: Noted[] = [];
  let lastFlush = Promise.resolve();

  /** Starts a flush after the flush in progress, which may not include the newest requests. */
  function flush(): Promise<void> {
    lastFlush = lastFlush.catch(() => undefined).then(insertWaiting);
    return lastFlush;
  }

  async function insertWaiting(): Promise<void> {
    const noted = waiting;
    waiting = [];
    for (let start = 0; start < noted.length; start += batchSize) {
      const requests = await mapInTimeSlices(noted.slice(start, start + batchSize), store);
      try {
        await database.autocommit((tx) => insertRequests(tx, requests));
      } catch (error) {
        // Keeps the newest entries for the next flush if the database is unavailable, up to the maximum queue length.
        if (isUnavailable(error)) waiting = [...noted.slice(start), ...waiting].slice(-maxWaiting);
        throw error;
      }
    }
  }

  return {
    note(route, caller, request, reply) {
      const failed = reply.statusCode >= 400;
      // Skips a person's successful reads, because dashboard pages poll.
      if (caller.actor.kind === "person" && request.method === "GET" && !failed) return;
      const { account, livemode } = caller.scope;
      const key = livemode ? account : `test ${account}`;
      if (waiting.length >= maxWaiting) return sample.drop(key);
      const leftOut = sample.take(key, failed, performance.now());
      if (leftOut === null) return;
      const storesBodies =
        (failed || request.method === "POST") && !confidential.has(route.permission);
      waiting.push({
        route,
        caller,
        id: request.id as RequestId,
        url: request.url,
        path: pathOf(request),
        params: request.params as Record<string, string>,
        headers: request.headers,
        ip: request.ip,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        sent: storesBodies ? firstOf(request.body) : null,
        responseBody: storesBodies ? (reply.sentBody?.slice(0, maxHeld) ?? null) : null,
        leftOut,
      });
    },
    flush,
    start: (background) =>
      startLoop({
        name: "request log",
        everyMs: 1_000,
        background,
        work: () => flush().then(() => false),
      }),
  };
}

/**
 * The maximum number of bytes of a body in memory. Most bodies are shorter, and the IDs and the error of a response are
 * near its start.
 */
const maxHeld = 16_384;

/** Returns the first part of a body. Bodies stay in memory for a second, so this limit bounds the memory. */
function firstOf(body: unknown): Buffer | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null;
  return body.length <= maxHeld ? body : Buffer.from(body.subarray(0, maxHeld));
}

function store(noted: Noted): StoredRequest {
  const { route, caller, status } = noted;
  const sent = noted.sent?.toString("utf8") ?? null;
  const response = parsed(noted.responseBody);
  const question = noted.url.indexOf("?");
  return {
    id: noted.id,
    scope: caller.scope,
    actor: caller.actor,
    method: route.method,
    path: maskUrl(noted.path),
    query: question < 0 ? null : maskUrl(noted.url.slice(question + 1)),
    endpoint: `${route.method} ${route.path}`,
    status,
    errorCode: status < 400 ? null : errorCodeIn(response),
    durationMs: Math.round(noted.durationMs),
    ip: clientAddress(noted.ip),
    userAgent: headerText(noted.headers["user-agent"]),
    idempotencyKey: headerText(noted.headers["idempotency-key"]),
    requestBody: sent === null ? null : maskBody(sent),
    responseBody: noted.responseBody === null ? null : maskBody(noted.responseBody),
    objects: objectsOf(noted.params, response, parsed(sent)),
    leftOut: noted.leftOut,
  };
}

function headerText(header: string | string[] | undefined): string | null {
  return header === undefined ? null : maskSecrets(String(header)).slice(0, 300);
}

/** Returns null for text that is not JSON or was cut. */
function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorCodeIn(response: unknown): string | null {
  const { error } = (response ?? {}) as { error?: { code?: unknown } };
  return typeof error?.code === "string" ? error.code : null;
}
