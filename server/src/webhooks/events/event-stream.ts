import { StreamEvents, StreamHeaders } from "@florin/contract/event.ts";
import { exampleId } from "@florin/contract/ids.ts";
import type { RouteDescription } from "@florin/contract/openapi.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { parseId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Access } from "../../platform/http/access.ts";
import { apiPrefix, countAgainst } from "../../platform/http/api.ts";
import { type Admit, assertPermission, type Caller } from "../../platform/http/caller.ts";
import { valuesOf } from "../../platform/http/list.ts";
import { readQuery } from "../../platform/http/query.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import { rejectSchemaViolation } from "../../platform/http/read-request.ts";
import { sendStreamHead } from "../../platform/http/send-response.ts";
import { alone, type Siblings, shareOf } from "../../platform/processes/siblings.ts";
import { createSlots } from "../../platform/processes/slots.ts";
import { createEventFeed } from "./event-feed.ts";
import { readableEventTypes } from "./readable-event-types.ts";

export type EventStreamDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly admit: Admit;
  readonly rateLimit: RateLimit;
  readonly siblings?: Siblings;
  /** Called when a stream fails because of an internal error. The client reconnects. */
  readonly onError: (error: unknown) => void;
};

type OpenStream = {
  readonly signal: AbortSignal;
  readonly feed: ReturnType<typeof createEventFeed>;
  /** Returns true if the caller may still read exactly the types of the stream. Otherwise returns false or throws. */
  readonly check: () => Promise<boolean>;
};

const pollMs = 250;
/**
 * Interval of the permission check and the keep-alive comment. A revoked key or a lost permission ends the stream within
 * this time, and the comment keeps a proxy from closing an idle connection.
 */
const checkMs = 1_000;
/** The maximum number of streams of the service. Several processes divide it among them. */
const maxStreams = 1_000;
/** The maximum number of streams of one merchant, so that one merchant cannot use all streams. */
const maxStreamsPerMerchant = 20;

const exampleEvent = {
  id: exampleId("evt"),
  object: "event",
  type: "payment.succeeded",
  data: { object: { id: exampleId("ch"), object: "charge", amount: 1999, currency: "usd" } },
};

/**
 * Describes the stream for the API reference. The stream is not an API route, because an API route responds once,
 * whereas a stream stays open until the client disconnects or loses its permission.
 */
export const eventStream: RouteDescription = {
  method: "GET",
  path: "/events/stream",
  summary: "Stream events",
  permission: "events:read",
  query: StreamEvents,
  headers: StreamHeaders,
  response: Type.String({
    description:
      "An endless stream of Server-Sent Events. The `id` of a message is the event's ID, and its `data` is the event as JSON, on one line. Lines that begin with a colon are comments. One arrives every second or two to keep the connection alive.",
    examples: [
      `: events follow\n\nid: ${exampleEvent.id}\ndata: ${JSON.stringify(exampleEvent)}\n\n:\n\n`,
    ],
  }),
  produces: ["text/event-stream"],
  status: 200,
  rejections: {
    429: `The account already has ${maxStreamsPerMerchant} open event streams, or the service has reached its maximum. Close a stream, or wait for the number of seconds in \`Retry-After\`.`,
  },
};

const access: Access = {
  authentication: "key_or_session",
  permission: eventStream.permission,
  // Opening a stream counts as one request. Open streams are limited per account and in total.
  limit: "account",
};

/**
 * Streams a merchant's events to clients such as `florin listen`. A stream that is resumed with `Last-Event-ID`
 * repeats some earlier events, so that none is missing.
 */
export function serveEventStream(app: FastifyInstance, deps: EventStreamDeps): void {
  const { siblings = alone } = deps;
  const streams = new Set<AbortController>();
  const slots = createSlots("event streams", siblings);
  // Ends all streams. Otherwise a stream ends only when its client disconnects, and the shutdown would wait for it.
  app.addHook("preClose", async () => {
    for (const stream of streams) stream.abort();
  });

  app.get(
    apiPrefix + eventStream.path,
    { exposeHeadRoute: false, config: { access } },
    async (request, reply) => {
      const caller = await admit(request);
      const counted = countAgainst(deps.rateLimit, caller, reply);
      if (counted) await counted;
      const { scope } = caller;
      const { types: given } = queryOf(request);
      const requested = given === undefined ? null : valuesOf(given);
      const types = readableEventTypes(caller, requested);
      // The stream ends if the types that its caller may read have changed since its start, so that the client
      // reconnects with the new types.
      const check = async (): Promise<boolean> =>
        String(readableEventTypes(await admit(request), requested)) === String(types);
      const after = cursorIn(request);
      const isFull = streams.size >= shareOf(maxStreams, siblings);
      const release = isFull ? null : await slots.occupy(scope.account, maxStreamsPerMerchant);
      if (!release) {
        throw new ApiError(
          "concurrency_limit_exceeded",
          "Too many event streams are open. Close a stream, then retry.",
          {
            retryAfterSeconds: 10,
          },
        );
      }
      const stream = new AbortController();
      streams.add(stream);
      reply.hijack();
      reply.raw.once("close", () => stream.abort());
      // A client that has closed its side of the connection no longer reads events.
      request.raw.socket.once("end", () => stream.abort());
      // A client can disconnect while its request is authenticated. The listeners above are then too late.
      if (reply.raw.destroyed || request.raw.socket.readableEnded) stream.abort();
      try {
        const feed = createEventFeed(deps, scope, { types, after });
        await send(reply, { signal: stream.signal, feed, check });
      } catch (error) {
        if (!(error instanceof ApiError)) deps.onError(error);
      } finally {
        streams.delete(stream);
        release();
        reply.raw.end();
      }
    },
  );

  async function admit(request: FastifyRequest): Promise<Caller> {
    const caller = await deps.admit(request);
    assertPermission(caller, eventStream.permission);
    return caller;
  }

  async function send(reply: FastifyReply, { signal, feed, check }: OpenStream): Promise<void> {
    const { raw } = reply;
    sendStreamHead(reply, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    raw.write(": events follow\n\n");
    let checkedAt = performance.now();
    while (!signal.aborted) {
      const events = await feed.next();
      const text = events.map(({ id, body }) => `id: ${id}\ndata: ${body}\n\n`).join("");
      if (text !== "" && !raw.write(text)) await drained(raw, signal);
      if (performance.now() - checkedAt > checkMs) {
        checkedAt = performance.now();
        if (!(await check())) return;
        raw.write(":\n\n");
      }
      if (events.length === 0) await waitForNext(signal);
    }
  }
}

function waitForNext(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, pollMs);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

function drained(raw: FastifyReply["raw"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    raw.once("drain", done);
    signal.addEventListener("abort", done);
  });
}

function queryOf(request: FastifyRequest): StreamEvents {
  const query = readQuery(request.query as Record<string, unknown>, StreamEvents);
  rejectSchemaViolation(StreamEvents, query);
  return query as StreamEvents;
}

function cursorIn({ headers }: FastifyRequest) {
  const text = headers["last-event-id"];
  if (text === undefined) return null;
  const id = parseId("evt", String(text));
  if (id) return id;
  throw new ApiError(
    "cursor_invalid",
    "`Last-Event-ID` must be an event ID, which begins with `evt_`.",
    {
      param: "Last-Event-ID",
    },
  );
}
