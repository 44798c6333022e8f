import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import type { Static, TSchema } from "typebox";
import type { RequestId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { BodyBytes } from "./body-buffers.ts";
import type { Caller, StepUp } from "./caller.ts";
import type { Upload, UploadLimits } from "./read-upload.ts";

/** The definition of an endpoint, from which the server's route and the OpenAPI document are generated. */
export type Route = {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, with `:id` for a parameter: `/charges/:id`. */
  readonly path: string;
  readonly summary: string;
  /** The permission that the caller must have. */
  readonly permission: Permission;
  /**
   * True if only signed-in people can call the endpoint, although keys can have the permission. Another person cannot
   * reuse the idempotency key of such a request with a JSON body.
   */
  readonly peopleOnly?: true;
  /** Requires a recent step-up, so that an unattended browser is not enough for the operation. Keys never need one. */
  readonly stepUp?: StepUp;
  /**
   * True if the endpoint changes data that both modes share, such as the team. After the account is approved, only a
   * live credential may call such an endpoint.
   */
  readonly changesBothModes?: true;
  readonly body?: TSchema;
  readonly query?: TSchema;
  /** For a route whose body is a file. `handle` receives an `Upload` as its body. */
  readonly upload?: UploadLimits;
  /** The schema of the response. */
  readonly response: TSchema;
  /** True if the acquirer can decline the operation, which returns a 402. */
  readonly callsAcquirer?: true;
  /** The media types that the response can have, when it is not JSON. */
  readonly produces?: readonly ("text/csv" | DocumentMediaType)[];
  readonly status: 200 | 201;
  /**
   * Makes the server store the response of a POST whose handler does not use idempotency keys itself. After a crash, a
   * retry may run the handler again. This option is therefore only for test mode and for operations that change
   * nothing.
   */
  readonly storesResponse?: true;
  /** For a route that reads a thousand objects for one response. At most one runs at a time per merchant and mode. */
  readonly scans?: true;
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
};

/** A request that is authenticated, authorized, within its limits and valid. */
export type ApiRequest<Body = unknown, Query = unknown> = {
  readonly id: RequestId;
  readonly scope: Scope;
  /** The caller, for audit entries only. A handler's behavior never depends on it. */
  readonly actor: Caller["actor"];
  /** The caller's permissions, for responses that hide fields from some callers. */
  readonly permissions: Caller["permissions"];
  /** The time of the person's last credential check, for limits that do not apply after a recent one. Null for a key. */
  readonly authenticatedAt: Date | null;
  /** The client's network address. */
  readonly ip: string;
  readonly idempotency: Idempotency | null;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
};

/** The idempotency key of a POST and the fingerprint of the request. */
export type Idempotency = { readonly key: string; readonly fingerprint: Buffer };

/** A response. The body is rendered once, so the stored body is identical to the sent one. */
export type ApiResponse = {
  readonly status: number;
  readonly body: string;
  /** The body in UTF-8, if it is already encoded. `body` is then empty, and no log contains the body. */
  readonly encoded?: BodyBytes;
  /** The rest of the body in pieces, when it is too large to hold in memory. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  readonly replayed?: true;
  /** The media type of the body, when it is not JSON. */
  readonly contentType?: string;
  /** A file that is sent as a download instead of the body. No log contains its content. */
  readonly file?: DownloadedFile;
};

export type DownloadedFile = {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly name: string;
};

export function ok(object: object): ApiResponse {
  return { status: 200, body: JSON.stringify(object) };
}

/** Returns a list whose objects are already JSON (`listBytes`). */
export function okBytes(encoded: BodyBytes): ApiResponse {
  return { status: 200, body: "", encoded };
}

export function okFile(file: DownloadedFile): ApiResponse {
  return { status: 200, body: "", file };
}

export function created(object: object): ApiResponse {
  return { status: 201, body: JSON.stringify(object) };
}

type RouteOf<Body extends TSchema | undefined, Query extends TSchema | undefined> = Omit<
  Route,
  "body" | "query" | "handle" | "stepUp" | "upload"
> & {
  readonly stepUp?: true | ((body: Body extends TSchema ? Static<Body> : undefined) => boolean);
  readonly body?: Body;
  readonly query?: Query;
  readonly handle: (
    request: ApiRequest<
      Body extends TSchema ? Static<Body> : undefined,
      Query extends TSchema ? Static<Query> : undefined
    >,
  ) => Promise<ApiResponse>;
};

/** Creates a route. The types of the handler's body and query follow from their schemas. */
export function route<
  Body extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
>(definition: RouteOf<Body, Query>): Route {
  return definition as unknown as Route;
}

/** Creates a route whose body is a file. The type of the handler's query follows from its schema. */
export function uploadRoute<Query extends TSchema>(
  definition: Omit<RouteOf<undefined, Query>, "handle" | "stepUp"> & {
    readonly upload: UploadLimits;
    readonly handle: (request: ApiRequest<Upload, Static<Query>>) => Promise<ApiResponse>;
  },
): Route {
  return definition as unknown as Route;
}
