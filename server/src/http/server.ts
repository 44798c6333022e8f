import type { Socket } from "node:net";
import { Readable } from "node:stream";
import fastify, {
  type ConnectionError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { ApiError, renderError } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import { newId, type RequestId } from "../primitives/ids.ts";
import { drainConnections, watchConnections } from "./connections.ts";
import { type KnownPaths, noteKnownPaths } from "./known-paths.ts";
import type { Answer } from "./route.ts";
import { takeTurns } from "./take-turns.ts";
import { bodyLimitBytes, toApiError } from "./to-api-error.ts";

declare module "fastify" {
  interface FastifyReply {
    /** What was answered, for the log of requests. */
    sentBody: string | null;
  }
  interface FastifyInstance {
    readonly tellFault: ServerLog["fault"];
  }
}

export type ServerLog = {
  /** A fault of ours: the caller got a 5xx, or half an answer, and this is all that tells why. */
  fault(request: RequestId, error: unknown): void;
};

export type ServerOptions = {
  readonly clock: Clock;
  readonly log: ServerLog;
  /** Networks of the proxies whose word is taken for a browser's address; none when left out. */
  readonly trustedProxies?: readonly string[];
  /** Where the service is reached, for the links in its errors. */
  readonly baseUrl: () => string;
};

/** An HTTP server with the service's manners: request ids, the error envelope, and bodies as bytes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { clock } = options;
  const connections = watchConnections();
  const app = fastify({
    genReqId: () => newId("req", clock.now()),
    requestIdHeader: false,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    // Whoever sends a request slower than this is not a customer (trust: header 10 s, request 30 s).
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 75_000,
    // On shutdown a new request on an old connection is still answered, with "connection: close".
    return503OnClosing: false,
    routerOptions: { maxParamLength: 255, ignoreTrailingSlash: false },
    http: {
      headersTimeout: 10_000,
      // By so much a connection may take longer than it may; Node looks every half minute.
      connectionsCheckingInterval: 5_000,
      // A request without a Host is refused below, in the envelope of every other refusal.
      requireHostHeader: false,
    },
    // What the router refuses before there is a route, such as a path that is no URL.
    frameworkErrors: (error, request, reply) => {
      sendError(reply, request, error, options);
    },
    clientErrorHandler: (error, socket) => {
      if (connections.isListening(socket)) refuseUnreadable(error, socket, options);
      else socket.destroy();
    },
  });

  app.decorateReply("sentBody", null);
  app.decorate("tellFault", (request, error) => options.log.fault(request, error));

  // Bodies stay bytes here. They are read strictly, and only after the request is authenticated.
  app.removeAllContentTypeParsers();
  acceptAsBytes(app, "application/json");

  const knownPaths = noteKnownPaths(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("request-id", request.id);
    // Before the body is read: whatever it is, nobody wants it.
    done(connections.note(request, reply) ? refusalOf(request, knownPaths) : cutOff);
  });
  const drain = drainConnections(app.server);
  app.addHook("preClose", (done) => {
    drain();
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(reply, request, error, options));
  app.setNotFoundHandler((request, reply) =>
    sendError(reply, request, unknownEndpoint(request), options),
  );
  // An expectation that nobody knows is no reason to refuse what is asked (RFC 9110 §10.1.1).
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );
  return app;
}

/** What no route will answer, or no server may (RFC 9112 §3.2, RFC 9110 §11.6.2). */
function refusalOf(request: FastifyRequest, knownPaths: KnownPaths): ApiError | undefined {
  const { rawHeaders, httpVersion } = request.raw;
  const hosts = timesIn(rawHeaders, "host");
  if (hosts > 1) return new ApiError("request_malformed", "The request has several Host headers.");
  if (hosts === 0 && httpVersion === "1.1") {
    return new ApiError("request_malformed", "The request has no Host header.");
  }
  if (timesIn(rawHeaders, "authorization") > 1) {
    return new ApiError("request_malformed", "The request has several Authorization headers.");
  }
  if (!request.is404) return undefined;
  const methods = knownPaths(pathOf(request));
  if (methods.length === 0) return unknownEndpoint(request);
  const allow = methods.join(", ");
  return new ApiError(
    "method_not_allowed",
    `${request.method} is not possible here; use ${allow}.`,
    { headers: { allow } },
  );
}

/** Node keeps the first of several and tells nobody; its `headersDistinct` would, and sorts every header of every request. */
function timesIn(namesAndValues: readonly string[], header: string): number {
  let times = 0;
  for (let at = 0; at < namesAndValues.length; at += 2) {
    const name = namesAndValues[at] as string;
    if (name.length === header.length && name.toLowerCase() === header) times++;
  }
  return times;
}

function unknownEndpoint(request: FastifyRequest): ApiError {
  return new ApiError(
    "endpoint_unknown",
    `There is no ${request.method} ${pathOf(request)}. The reference at /docs lists every endpoint.`,
  );
}

/** Lets these routes take bodies of a kind, which stay bytes. */
export function acceptAsBytes(routes: FastifyInstance, contentType: string | string[]): void {
  routes.addContentTypeParser(contentType, { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
}

/**
 * What cannot even be read as HTTP is refused in the same envelope, by hand: there is no request to answer. The
 * connection is closed, for nobody can tell where the next request on it would begin.
 */
function refuseUnreadable(
  cause: ConnectionError,
  socket: Socket,
  { clock, baseUrl }: ServerOptions,
): void {
  if (cause.code === "ECONNRESET" || !socket.writable) return;
  const id = newId("req", clock.now());
  const tooLong = cause.code === "HPE_HEADER_OVERFLOW";
  const error = new ApiError(
    "request_malformed",
    tooLong
      ? "The request's headers are longer than the 16 KiB that are read."
      : "The request is not well-formed HTTP, or did not arrive in time.",
  );
  const body = renderError(error, id, baseUrl());
  const head = [
    `HTTP/1.1 ${tooLong ? "431 Request Header Fields Too Large" : "400 Bad Request"}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${id}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.sentBody = answer.body;
  if (answer.replayed) reply.header("idempotent-replayed", "true");
  // The server is closing, and waits for no further request on this connection.
  if (!reply.server.server.listening) reply.header("connection", "close");
  return reply
    .code(answer.status)
    .header("content-type", answer.contentType ?? "application/json; charset=utf-8")
    .send(answer.stream ? Readable.from(inPieces(reply, answer.body, answer.stream)) : answer.body);
}

/**
 * An error on the way cuts the connection, so that nobody takes a half for the whole. The caller cannot be told more, for
 * the answer has begun, so the log is all that tells why. Whoever hung up is not there to miss anything.
 */
async function* inPieces(
  reply: FastifyReply,
  first: string,
  rest: AsyncIterable<string>,
): AsyncGenerator<string> {
  try {
    yield first;
    yield* takeTurns(rest);
  } catch (error) {
    if (!reply.raw.destroyed) reply.server.tellFault(reply.request.id as RequestId, error);
    throw error;
  }
}

function sendError(
  reply: FastifyReply,
  request: FastifyRequest,
  cause: unknown,
  { log, baseUrl }: ServerOptions,
): FastifyReply {
  // The caller hung up in the middle of the body: nobody reads the answer, and it was no fault of ours.
  const error = request.raw.destroyed && !request.raw.complete ? cutOff : toApiError(cause);
  const id = request.id as RequestId;
  // Also here: a URL that cannot be read is refused before any hook runs.
  reply.header("request-id", id);
  if (error.status >= 500) log.fault(id, cause);
  const { headers, retryAfterSeconds } = error.details;
  if (headers) reply.headers(headers);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
  return sendAnswer(reply, { status: error.status, body: renderError(error, id, baseUrl()) });
}

const cutOff = new ApiError("request_malformed", "The connection ended before the body did.");
