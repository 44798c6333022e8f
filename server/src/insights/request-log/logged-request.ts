import type { LoggedRequest, LoggedRequestWithBodies } from "@florin/contract/request-log.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, type RequestId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Caller } from "../../platform/http/caller.ts";

/** A request as stored. */
export type StoredRequest = {
  readonly id: RequestId;
  readonly scope: Scope;
  readonly actor: Caller["actor"];
  readonly method: LoggedRequest["method"];
  readonly path: string;
  readonly query: string | null;
  readonly endpoint: string;
  readonly status: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly idempotencyKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
  /** UUIDs of the objects that the request refers to. */
  readonly objects: readonly string[];
  readonly leftOut: number;
};

export type ReadRequest = Omit<StoredRequest, "objects" | "actor"> & {
  readonly actor: LoggedRequest["actor"];
};

export function loggedRequestObject(request: ReadRequest): LoggedRequest {
  return {
    id: request.id,
    object: "logged_request",
    livemode: request.scope.livemode,
    created: unixSeconds(createdAt(request.id)),
    method: request.method,
    path: request.path,
    query: request.query,
    endpoint: request.endpoint,
    status: request.status,
    error_code: request.errorCode,
    duration_ms: request.durationMs,
    actor: request.actor,
    ip: request.ip,
    user_agent: request.userAgent,
    idempotency_key: request.idempotencyKey,
    left_out: request.leftOut,
  };
}

export function withBodies(request: ReadRequest): LoggedRequestWithBodies {
  return {
    ...loggedRequestObject(request),
    request_body: request.requestBody,
    response_body: request.responseBody,
  };
}
