import type { Permission } from "@florin/contract/permissions.ts";
import type { Static, TSchema } from "typebox";
import type { RequestId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Caller, StepUp } from "./caller.ts";
import type { Upload, UploadLimits } from "./read-upload.ts";

/** An endpoint as data: the server registers it, and OpenAPI is printed from it. */
export type Route = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/api/v1`, with `:id` for a parameter: `/charges/:id`. */
  readonly path: string;
  readonly summary: string;
  /** What the caller must be allowed. */
  readonly permission: Permission;
  /** True where only a person who is signed in can call it, although keys can have the permission. */
  readonly peopleOnly?: true;
  /** For what is dangerous in a browser that was left open. Keys are never asked. */
  readonly stepUp?: StepUp;
  /**
   * True when it changes data that both modes share, such as the team. Once the account is approved, only a live
   * credential may do that.
   */
  readonly changesBothModes?: true;
  readonly body?: TSchema;
  readonly query?: TSchema;
  /** For a route whose body is a file. `handle` receives an `Upload` as its body. */
  readonly upload?: UploadLimits;
  /** The object it answers with. */
  readonly answer: TSchema;
  /** What it answers with, when that is not JSON. */
  readonly produces?: "text/csv";
  readonly status: 200 | 201;
  /**
   * For a POST whose handler knows nothing of idempotency keys: its answer is kept around it. What a crash cuts off may
   * then be done again by whoever repeats the request, so it is for test mode and for what changes nothing.
   */
  readonly keepsAnswer?: true;
  /** For a route that reads a thousand objects for one answer. One of them runs at once for each merchant and mode. */
  readonly scans?: true;
  readonly handle: (request: ApiRequest) => Promise<Answer>;
};

/** A request that is authenticated, allowed, within its limits and of the right shape. */
export type ApiRequest<Body = unknown, Query = unknown> = {
  readonly id: RequestId;
  readonly owner: Owner;
  /** Who asks, for the record; what a handler does never depends on it. */
  readonly actor: Caller["actor"];
  /** The caller's permissions, for responses that hide fields from some callers. */
  readonly permissions: Caller["permissions"];
  /** The time of the person's last credential check, for limits that a recent one lifts. Null for a key. */
  readonly provedAt: Date | null;
  /** The network address it came from. */
  readonly ip: string;
  readonly idempotency: Idempotency | null;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
};

/** What the merchant sent to make this POST happen once (spec §8). */
export type Idempotency = { readonly key: string; readonly fingerprint: Buffer };

/** An answer as it goes over the wire: rendered once, stored as sent. */
export type Answer = {
  readonly status: number;
  readonly body: string;
  /** What follows the body, piece by piece, where all of it would be too much to hold. */
  readonly stream?: AsyncIterable<string>;
  readonly replayed?: true;
  /** What the body is, when it is not JSON. */
  readonly contentType?: string;
};

export function ok(object: object): Answer {
  return { status: 200, body: JSON.stringify(object) };
}

export function created(object: object): Answer {
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
  ) => Promise<Answer>;
};

/** Ties a handler's types to the schemas its requests are checked against. */
export function route<
  Body extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
>(definition: RouteOf<Body, Query>): Route {
  return definition as unknown as Route;
}

/** Ties a handler's types to the query schema of a route whose body is a file. */
export function uploadRoute<Query extends TSchema>(
  definition: Omit<RouteOf<undefined, Query>, "handle" | "stepUp"> & {
    readonly upload: UploadLimits;
    readonly handle: (request: ApiRequest<Upload, Static<Query>>) => Promise<Answer>;
  },
): Route {
  return definition as unknown as Route;
}
