import type { Socket } from "node:net";
import fastify, {
  type ConnectionError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { ApiError, renderError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { atEndOfTurn } from "../../core/end-of-turn.ts";
import { newId, type RequestId } from "../../core/ids.ts";
import { type CollectBody, createBodyCollector } from "./collect-body.ts";
import { drainConnections, watchConnections } from "./connections.ts";
import { opensPage, sendErrorPage } from "./error-page.ts";
import { collectKnownPaths, type KnownPaths } from "./known-paths.ts";
import type { SecondOrigin } from "./second-origin.ts";
import { sendResponse } from "./send-response.ts";
import { bodyLimitBytes, toApiError } from "./to-api-error.ts";

declare module "fastify" {
  interface FastifyReply {
    /** The body of the response, for the request log. */
    sentBody: string | null;
  }
  interface FastifyInstance {
    readonly reportFault: ServerLog["fault"];
    readonly collectBody: CollectBody;
    /** The HTML texts for browsers that open an unknown page, by the prefix of the page's path. */
    readonly notFoundTexts: Map<string, string>;
  }
}

export type ServerLog = {
  /** Reports an internal error: the caller received a 5xx or a truncated response, and only this log has the cause. */
  fault(request: RequestId, error: unknown): void;
};

export type ServerOptions = {
  readonly clock: Clock;
  readonly log: ServerLog;
  /** Networks of the proxies whose forwarded client address is trusted. None by default. */
  readonly trustedProxies?: readonly string[];
  /** Returns the service's public URL, for the links in its errors. */
  readonly baseUrl: () => string;
  /** The origin that serves only its own routes. By default, the server has one origin. */
  readonly secondOrigin?: SecondOrigin;
};

/** Creates an HTTP server with request ids, the error envelope and unparsed bodies. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { clock } = options;
  const connections = watchConnections();
  const app = fastify({
    genReqId: () => newId("req", clock.now()),
    requestIdHeader: false,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    // `collectBody` enforces this limit, because no content type parser of Fastify reads a body. The option describes the
    // limit for `collectRoutes`.
    bodyLimit: bodyLimitBytes,
    // Limits slow-request attacks (slowloris): 10 s for the headers, 30 s for the request.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 75_000,
    // During shutdown, a new request on an open connection still gets its normal response, with "connection: close",
    // instead of a 503.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 255, ignoreTrailingSlash: false },
    http: {
      headersTimeout: 10_000,
      // Enforces a timeout at most 5 s late. Node's default is 30 s.
      connectionsCheckingInterval: 5_000,
      // A request without a Host is rejected below, with the same error envelope as every other error.
      requireHostHeader: false,
    },
    // Handles errors of the router before a route is found, such as a path that is not a valid URL.
    frameworkErrors: (error, request, reply) => {
      prepareReply(reply, request, options);
      if (options.secondOrigin?.rejectUnroutable(request, reply)) return;
      sendError(reply, request, error, options);
    },
    clientErrorHandler: (error, socket) => {
      connections.reject(socket, () => rejectUnreadable(error, socket, options));
    },
  });
  // A client may close its side of the connection after the request, and still gets the response.
  (app.server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  app.server.on("connection", rememberAddress);
  connections.dropLateRequests(app.server);

  app.decorateReply("sentBody", null);
  app.decorate("reportFault", (request, error) => options.log.fault(request, error));
  app.decorate("collectBody", createBodyCollector());
  app.decorate("notFoundTexts", new Map<string, string>());

  // Bodies are not parsed here. They are parsed strictly, and only after the request is authenticated.
  app.removeAllContentTypeParsers();
  acceptAsBytes(app, "application/json");
  // The body of a DELETE has no meaning (RFC 9110 §9.3.5). It is ignored, like that of a GET, so its size and media type
  // are not checked.
  app.addHttpMethod("DELETE", { hasBody: false, overrideExisting: true });

  const knownPaths = collectKnownPaths(app);
  const hasValidHost = createHostCheck();
  app.addHook("onRequest", (request, reply, done) => {
    prepareReply(reply, request, options);
    if (!connections.note(request, reply)) return done(bodyIncomplete);
    // Runs before every check that sends a response, because the second origin must reveal nothing of the service, not
    // even an error.
    const misplaced = options.secondOrigin?.reject(request, reply);
    if (misplaced === "rejected") return;
    if (misplaced) return done(unknownEndpoint(request, knownPaths));
    // These checks run before the body is read, because the body of a rejected request is not needed.
    const faulty = rejectedTransferCoding(request);
    if (faulty) connections.endWith(request);
    if (bodylessMethods.has(request.method)) discardBody(request);
    done(faulty ?? rejectionOf(request, knownPaths, hasValidHost));
  });
  app.addHook("onRequest", (_request, _reply, done) => atEndOfTurn(done));
  // This check runs after the request is authenticated and before its body is read.
  app.addHook("preParsing", (request, _reply, _payload, done) => done(rejectedEncoding(request)));
  const drain = drainConnections(app.server);
  app.addHook("preClose", (done) => {
    drain();
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(reply, request, error, options));
  app.setNotFoundHandler((request, reply) =>
    sendError(reply, request, unknownEndpoint(request, knownPaths), options),
  );
  // A request with an unknown `Expect` header is not rejected (RFC 9110 §10.1.1).
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );
  return app;
}

/**
 * Reads the client's address, which makes Node keep the address after the connection has closed. Requests are counted
 * by this address, even if their connection closes before they are processed. A connection that has already closed has
 * no address and is dropped.
 */
function rememberAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

/**
 * Returns the error for a request whose transfer coding is not `chunked`, or that has any transfer coding over
 * HTTP/1.0. A proxy and this server may disagree on the byte at which such a request ends, so later requests on the
 * connection must not be executed (RFC 9112 §6.1).
 */
function rejectedTransferCoding({ headers, raw }: FastifyRequest): ApiError | undefined {
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (raw.httpVersion === "1.1" && coding.toLowerCase() === "chunked") return undefined;
  return new ApiError(
    "request_malformed",
    "The transfer coding is not supported. Send the body with Content-Length, or with 'Transfer-Encoding: chunked' alone.",
    { headers: { connection: "close" } },
  );
}

/** Returns the error of a request that no route handles or that HTTP forbids (RFC 9112 §3.2, RFC 9110 §11.6.2). */
function rejectionOf(
  request: FastifyRequest,
  knownPaths: KnownPaths,
  hasValidHost: (request: FastifyRequest) => boolean,
): ApiError | undefined {
  const { rawHeaders, httpVersion } = request.raw;
  const hosts = timesIn(rawHeaders, "host");
  if (hosts > 1)
    return new ApiError(
      "request_malformed",
      "The request must have exactly one Host header. Got several. Send only one.",
    );
  if (hosts === 0 && httpVersion === "1.1") {
    return new ApiError(
      "request_malformed",
      "The request must have a Host header. Add the header.",
    );
  }
  if (hosts === 1 && !hasValidHost(request)) {
    return new ApiError(
      "request_malformed",
      "The Host header is not valid. Send a host name or address, with a port if it is not the default.",
    );
  }
  if (timesIn(rawHeaders, "authorization") > 1) {
    return new ApiError(
      "api_key_malformed",
      "The request must have exactly one Authorization header. Got several. Send only one.",
      { headers: { "www-authenticate": 'Bearer realm="florin"' } },
    );
  }
  // The router matches `/charges/` to `/charges/:id` with an empty id.
  if (!request.is404) {
    return hasEmptyParameter(request) ? unknownEndpoint(request, knownPaths) : undefined;
  }
  const methods = knownPaths(pathOf(request));
  if (methods.length === 0) return unknownEndpoint(request, knownPaths);
  const allow = methods.join(", ");
  return new ApiError(
    "method_not_allowed",
    `The endpoint does not support ${request.method}. Use ${allow}.`,
    { headers: { allow } },
  );
}

/**
 * Counts the occurrences of a header. Node silently keeps the first of several. `headersDistinct` has all of them, but
 * processes every header of every request.
 */
function timesIn(namesAndValues: readonly string[], header: string): number {
  let times = 0;
  for (let at = 0; at < namesAndValues.length; at += 2) {
    const name = namesAndValues[at] as string;
    if (name.length === header.length && name.toLowerCase() === header) times++;
  }
  return times;
}

/**
 * Returns a function that reports whether the host of a request is valid. Behind a trusted proxy, the host may come
 * from a forwarded header. The function caches the last valid host.
 */
function createHostCheck(): (request: FastifyRequest) => boolean {
  let lastValid = "";
  return ({ host }) => {
    if (host !== "" && host === lastValid) return true;
    if (!/^[^\s/?#@\\]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
    lastValid = host;
    return true;
  };
}

function hasEmptyParameter({ params }: FastifyRequest): boolean {
  const values = params as Readonly<Record<string, string>>;
  for (const name in values) if (values[name] === "" && name !== "*") return true;
  return false;
}

function unknownEndpoint(request: FastifyRequest, knownPaths: KnownPaths): ApiError {
  const path = pathOf(request);
  const shorter = withoutTrailingSlashes(path);
  const hint =
    shorter !== path && knownPaths(shorter).length > 0
      ? `Send the request to ${shorter}, without a slash at the end.`
      : "The reference at /docs lists every endpoint.";
  return new ApiError(
    "endpoint_unknown",
    `The endpoint ${request.method} ${path} does not exist. ${hint}`,
  );
}

/** Removes the slashes at the end of a path. `/\/+$/` would take quadratic time for slashes in the middle. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** The methods whose body is ignored. */
const bodylessMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);

/**
 * Discards the body as it arrives. Otherwise the body would be kept in memory until the response ends, which can take
 * hours for a stream.
 */
function discardBody({ headers, raw }: FastifyRequest): void {
  const hasBody =
    headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
  if (hasBody) raw.resume();
}

/** Returns the error for a body that is compressed or in a charset other than UTF-8. */
function rejectedEncoding({ method, headers }: FastifyRequest): ApiError | undefined {
  if (bodylessMethods.has(method)) return undefined;
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return new ApiError(
      "content_type_unsupported",
      "The body must not be compressed. Send the body uncompressed, without Content-Encoding.",
      { headers: { "accept-encoding": "identity" } },
    );
  }
  const type = headers["content-type"];
  if (type === undefined || !/charset/i.test(type)) return undefined;
  const [, charset = ""] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type) ?? [];
  if (/^utf-?8$/i.test(charset)) return undefined;
  return new ApiError(
    "content_type_unsupported",
    "The charset of the body must be UTF-8. Encode the body in UTF-8, and leave the charset out or send 'charset=utf-8'.",
  );
}

/** One year. Subdomains are not included, because they may serve something else over plain HTTP. */
const strictTransportSecurity = "max-age=31536000";

/**
 * Prevents caches from storing a response. Most responses are for one caller only, and a cache could otherwise also store
 * a 404, 405 or 410 (RFC 9110 §15.1). A route whose response is the same for every caller sets another value.
 */
const defaultCacheControl = "no-store";

/** Sets the headers of every response. */
function prepareReply(
  reply: FastifyReply,
  { id }: FastifyRequest,
  { baseUrl }: ServerOptions,
): void {
  reply.header("request-id", id);
  reply.header("cache-control", defaultCacheControl);
  // HSTS (RFC 6797).
  if (isHttps(baseUrl)) reply.header("strict-transport-security", strictTransportSecurity);
}

function isHttps(baseUrl: () => string): boolean {
  return baseUrl().startsWith("https:");
}

/** Makes these routes accept bodies of a content type, as bytes. */
export function acceptAsBytes(routes: FastifyInstance, contentType: string | string[]): void {
  routes.addContentTypeParser(contentType, routes.collectBody);
}

/** The messages for errors of Node's HTTP parser, by their code. */
const unreadableMessages: ReadonlyMap<string | undefined, string> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    "The request's headers exceed the limit of 16 KiB. Send fewer or shorter headers.",
  ],
  // curl sends a URL as it was typed.
  [
    "HPE_INVALID_URL",
    "The URL contains a character that is not allowed, such as a letter that is not ASCII. Percent-encode it.",
  ],
]);

/**
 * Sends the error envelope in response to bytes that are not an HTTP request. The response is written to the socket,
 * because there is no request object. The connection is closed, because the start of the next request is unknown.
 */
function rejectUnreadable(
  cause: ConnectionError,
  socket: Socket,
  { clock, baseUrl }: ServerOptions,
): void {
  if (cause.code === "ECONNRESET" || !socket.writable) return;
  const id = newId("req", clock.now());
  const tooLong = cause.code === "HPE_HEADER_OVERFLOW";
  const error = new ApiError(
    "request_malformed",
    unreadableMessages.get(cause.code) ??
      "The request is not well-formed HTTP, or did not arrive in time. Send the request again with an HTTP client.",
  );
  const body = renderError(error, id, baseUrl());
  const head = [
    `HTTP/1.1 ${tooLong ? "431 Request Header Fields Too Large" : "400 Bad Request"}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${id}`,
    `Cache-Control: ${defaultCacheControl}`,
    "Connection: close",
    ...(isHttps(baseUrl) ? [`Strict-Transport-Security: ${strictTransportSecurity}`] : []),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

function sendError(
  reply: FastifyReply,
  request: FastifyRequest,
  cause: unknown,
  options: ServerOptions,
): FastifyReply {
  const { log, baseUrl } = options;
  // If the client disconnected before the end of the body, the cause is not an internal error.
  const error = request.raw.destroyed && !request.raw.complete ? bodyIncomplete : toApiError(cause);
  const id = request.id as RequestId;
  if (error.status >= 500) log.fault(id, cause);
  // The route may have failed after it set the headers of a cacheable response.
  reply.header("cache-control", defaultCacheControl);
  const { headers, retryAfterSeconds } = error.details;
  if (headers) reply.headers(headers);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
  if (opensPage(request)) return sendErrorPage(reply, error.status, id);
  return sendResponse(reply, { status: error.status, body: renderError(error, id, baseUrl()) });
}

const bodyIncomplete = new ApiError(
  "request_malformed",
  "The connection ended before the end of the body. Send the request again.",
);
