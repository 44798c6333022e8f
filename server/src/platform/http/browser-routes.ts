import { NoParameters } from "@florin/contract/no-parameters.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { RequestId } from "../../core/ids.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";
import { clientAddress } from "../../core/network.ts";
import type { Accepts, Access } from "./access.ts";
import { readQuery } from "./query.ts";
import { readBody, rejectSchemaViolation } from "./read-request.ts";
import {
  acceptUploads,
  createUploadReader,
  type Upload,
  type UploadLimits,
} from "./read-upload.ts";
import type { ApiResponse } from "./route.ts";
import { rejectCrossSiteRequests } from "./same-origin.ts";
import { sendResponse } from "./send-response.ts";

/**
 * An endpoint that only Florin's pages call. It follows the API's conventions but may change at any time. Its route
 * group authenticates the caller.
 */
export type BrowserRoute<Caller> = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the group's prefix, with `:id` for a parameter. */
  readonly path: string;
  readonly body?: TSchema;
  readonly query?: TSchema;
  /** The limits of a file that is the body. The handler's body is then an `Upload`. */
  readonly upload?: UploadLimits;
  /** The schema of a JSON response, with which the tests validate every response. */
  readonly response?: TSchema;
  readonly handle: (request: BrowserRequest<Caller>) => Promise<BrowserResponse>;
};

export type BrowserRequest<Caller, Body = unknown, Query = unknown> = {
  readonly id: RequestId;
  readonly caller: Caller;
  readonly ip: string;
  readonly userAgent: string;
  /** The Cookie header. */
  readonly cookies: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
};

/** A response that may also set cookies. */
export type BrowserResponse = ApiResponse & { readonly cookie?: string | readonly string[] };

export type BrowserRouteGroup<Caller> = {
  /** For example `/auth/v1`. */
  readonly prefix: string;
  readonly access: Access;
  readonly routes: readonly BrowserRoute<Caller>[];
  /** Returns the authenticated caller. Throws an error if the credentials are not accepted. */
  readonly admit: (request: FastifyRequest) => Promise<Caller>;
};

export function serveBrowserRoutes<Caller>(
  app: FastifyInstance,
  group: BrowserRouteGroup<Caller>,
): void {
  const readUpload = createUploadReader();
  /** Rejects cross-site requests and authenticates the caller. */
  const admit = (request: FastifyRequest): Promise<Caller> => {
    rejectCrossSiteRequests(request);
    return group.admit(request);
  };
  const serve = (routes: FastifyInstance, route: BrowserRoute<Caller>) =>
    routes.route({
      method: route.method,
      url: group.prefix + route.path,
      config: {
        access: {
          ...group.access,
          ...(route.upload && { maxUploadBytes: route.upload.maxBytes }),
        },
        accepts: acceptedBy(route),
        ...(route.response && { returns: route.response }),
      },
      // Authenticates an upload before its media type is checked and its body is read.
      ...(route.upload && {
        onRequest: async (request: FastifyRequest) => void (await admit(request)),
      }),
      handler: async (request, reply) => {
        const { upload } = route;
        const file = upload && (await readUpload(request, request.ip, upload));
        // Runs after the body has arrived, which can take 30 seconds. The session may have ended in the meantime.
        const caller = await admit(request);
        return send(reply, await route.handle(read(route, request, caller, file)));
      },
    });
  for (const route of group.routes) {
    const { upload } = route;
    if (!upload) {
      serve(app, route);
      continue;
    }
    app.register((uploads, _options, done) => {
      acceptUploads(uploads, upload.mediaTypes);
      serve(uploads, route);
      done();
    });
  }
}

function acceptedBy<Caller>({ body, query }: BrowserRoute<Caller>): Accepts {
  return { ...(body && { body }), ...(query && { query }) };
}

function read<Caller>(
  route: BrowserRoute<Caller>,
  request: FastifyRequest,
  caller: Caller,
  file: Upload | undefined,
): BrowserRequest<Caller> {
  const querySchema = route.query ?? NoParameters;
  const query = readQuery(request.query as Record<string, unknown>, querySchema);
  const hasBody = route.method !== "GET" && route.method !== "DELETE";
  const body = file ?? (hasBody ? readBody(request, route.body ?? NoParameters) : undefined);
  rejectSchemaViolation(querySchema, query);
  return {
    id: request.id as RequestId,
    caller,
    ip: clientAddress(request.ip),
    // Masks the User-Agent header, because it is stored with the session and a client can put a card number in it.
    userAgent: maskSecrets(request.headers["user-agent"] ?? "").slice(0, maxUserAgentLength),
    cookies: request.headers.cookie,
    params: request.params as Record<string, string>,
    body,
    query,
  };
}

const maxUserAgentLength = 300;

function send(reply: FastifyReply, response: BrowserResponse): FastifyReply {
  if (response.cookie) reply.header("set-cookie", [response.cookie].flat());
  return sendResponse(reply, response);
}

/** Returns a function that creates a route. The handler gets the types of the schemas that validate its requests. */
export function browserRoute<Caller>() {
  return <
    Body extends TSchema | undefined = undefined,
    Query extends TSchema | undefined = undefined,
  >(definition: {
    readonly method: BrowserRoute<Caller>["method"];
    readonly path: string;
    readonly body?: Body;
    readonly query?: Query;
    readonly response?: TSchema;
    readonly handle: (
      request: BrowserRequest<
        Caller,
        Body extends TSchema ? Static<Body> : undefined,
        Query extends TSchema ? Static<Query> : undefined
      >,
    ) => Promise<BrowserResponse>;
  }): BrowserRoute<Caller> => definition as unknown as BrowserRoute<Caller>;
}

/** Returns a function that creates a route whose body is a file. The handler gets the type of the query schema. */
export function browserUploadRoute<Caller>() {
  return <Query extends TSchema>(definition: {
    readonly method: BrowserRoute<Caller>["method"];
    readonly path: string;
    readonly upload: UploadLimits;
    readonly query: Query;
    readonly response?: TSchema;
    readonly handle: (
      request: BrowserRequest<Caller, Upload, Static<Query>>,
    ) => Promise<BrowserResponse>;
  }): BrowserRoute<Caller> => definition as unknown as BrowserRoute<Caller>;
}
