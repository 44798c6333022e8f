import type { EventType } from "@florin/contract/event.ts";
import { eventTypes } from "@florin/contract/event.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../database/database.ts";
import { apiPrefix } from "../http/api.ts";
import { type Admit, refuseWithoutPermission } from "../http/caller.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import { type AccountId, parseId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { openFeed } from "./event-feed.ts";

export type EventStreamDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly admit: Admit;
  /** Called when a stream broke for a reason of ours; its client comes back. */
  readonly onError: (error: unknown) => void;
};

const pollMs = 250;
/** A revoked key ends its stream within this time, and a proxy that closes silent connections sees signs of life. */
const checkMs = 1_000;
const mostStreams = 1_000;
/** So that no merchant can take them all. */
const mostOfOneMerchant = 20;

/**
 * `GET /api/v1/events/stream`: a merchant's events as they happen, as Server-Sent Events; `florin listen` reads it.
 * `Last-Event-ID` says where to go on. Around that event some come again, so that none is missing: tell them by id.
 */
export function serveEventStream(app: FastifyInstance, deps: EventStreamDeps): void {
  const streams = new Map<AbortController, AccountId>();
  // Streams have no end of their own, and the server would wait for one.
  app.addHook("preClose", async () => {
    for (const stream of streams.keys()) stream.abort();
  });

  app.get(`${apiPrefix}/events/stream`, { exposeHeadRoute: false }, async (request, reply) => {
    const owner = await admit(request);
    const types = typesIn(request);
    const after = cursorIn(request);
    const own = [...streams.values()].filter((account) => account === owner.account).length;
    if (own >= mostOfOneMerchant || streams.size >= mostStreams) {
      throw new ApiError("rate_limit_exceeded", "Too many event streams are open; close one.", {
        retryAfterSeconds: 10,
      });
    }
    const stream = new AbortController();
    streams.set(stream, owner.account);
    reply.hijack();
    reply.raw.once("close", () => stream.abort());
    try {
      await send(reply, request, stream.signal, openFeed(deps, owner, { types, after }));
    } catch (error) {
      if (!(error instanceof ApiError)) deps.onError(error);
    } finally {
      streams.delete(stream);
      reply.raw.end();
    }
  });

  async function admit(request: FastifyRequest): Promise<Owner> {
    const caller = await deps.admit(request);
    refuseWithoutPermission(caller, "events:read");
    return caller.owner;
  }

  async function send(
    reply: FastifyReply,
    request: FastifyRequest,
    signal: AbortSignal,
    feed: ReturnType<typeof openFeed>,
  ): Promise<void> {
    const { raw } = reply;
    raw.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "request-id": request.id,
    });
    raw.write(": events follow\n\n");
    let checkedAt = performance.now();
    while (!signal.aborted) {
      const events = await feed.next();
      const text = events.map(({ id, body }) => `id: ${id}\ndata: ${body}\n\n`).join("");
      if (text !== "" && !raw.write(text)) await drained(raw, signal);
      if (performance.now() - checkedAt > checkMs) {
        checkedAt = performance.now();
        await admit(request);
        raw.write(":\n\n");
      }
      if (events.length === 0) await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
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

function typesIn({ query }: FastifyRequest): readonly EventType[] | null {
  const { types } = query as { types?: unknown };
  if (types === undefined) return null;
  const names = String(types).split(",");
  const wrong = names.find((name) => !eventTypes.includes(name as EventType));
  if (wrong === undefined) return names as EventType[];
  throw new ApiError("parameter_invalid", `There is no type of event '${wrong}'.`, {
    param: "types",
  });
}

function cursorIn({ headers }: FastifyRequest) {
  const text = headers["last-event-id"];
  if (text === undefined) return null;
  const id = parseId("evt", String(text));
  if (id) return id;
  throw new ApiError("cursor_invalid", "Last-Event-ID must be an id that begins with evt_.", {
    param: "Last-Event-ID",
  });
}
