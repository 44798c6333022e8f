import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { RequestId } from "../primitives/ids.ts";
import { readBody, refuseViolation } from "./api.ts";
import type { Answer } from "./route.ts";
import { refuseOtherSites } from "./same-origin.ts";
import { sendAnswer } from "./server.ts";

/**
 * An endpoint for our own pages only, as data. It has the API's manners, and no promise to anybody else; who may
 * come in is said by the door it is behind.
 */
export type DoorRoute<Caller> = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the door's prefix, with `:id` for a parameter. */
  readonly path: string;
  readonly body?: TSchema;
  readonly handle: (request: DoorRequest<Caller>) => Promise<DoorAnswer>;
};

export type DoorRequest<Caller, Body = unknown> = {
  readonly id: RequestId;
  readonly caller: Caller;
  readonly ip: string;
  readonly userAgent: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
};

/** An answer that may also say who the browser is from now on. */
export type DoorAnswer = Answer & { readonly cookie?: string };

export type Door<Caller> = {
  /** `/auth/v1` and the like. */
  readonly prefix: string;
  readonly routes: readonly DoorRoute<Caller>[];
  /** Says who asks, or throws why they may not. */
  readonly admit: (request: FastifyRequest) => Promise<Caller>;
};

export function serveDoor<Caller>(app: FastifyInstance, door: Door<Caller>): void {
  for (const route of door.routes) {
    app.route({
      method: route.method,
      url: door.prefix + route.path,
      handler: async (request, reply) => {
        refuseOtherSites(request);
        const caller = await door.admit(request);
        return send(reply, await route.handle(read(route, request, caller)));
      },
    });
  }
}

function read<Caller>(
  route: DoorRoute<Caller>,
  request: FastifyRequest,
  caller: Caller,
): DoorRequest<Caller> {
  const body = route.method === "POST" ? readBody(request) : undefined;
  refuseViolation(route.body, body);
  return {
    id: request.id as RequestId,
    caller,
    ip: request.ip,
    userAgent: (request.headers["user-agent"] ?? "").slice(0, longestUserAgent),
    params: request.params as Record<string, string>,
    body,
  };
}

const longestUserAgent = 300;

function send(reply: FastifyReply, answer: DoorAnswer): FastifyReply {
  // What it says is for the person who is signed in, and for no cache on the way.
  reply.header("cache-control", "no-store");
  if (answer.cookie) reply.header("set-cookie", answer.cookie);
  return sendAnswer(reply, answer);
}

/** Ties a handler's types to the schema its requests are checked against. */
export function doorRoute<Caller>() {
  return <Body extends TSchema | undefined = undefined>(definition: {
    readonly method: DoorRoute<Caller>["method"];
    readonly path: string;
    readonly body?: Body;
    readonly handle: (
      request: DoorRequest<Caller, Body extends TSchema ? Static<Body> : undefined>,
    ) => Promise<DoorAnswer>;
  }): DoorRoute<Caller> => definition as unknown as DoorRoute<Caller>;
}
