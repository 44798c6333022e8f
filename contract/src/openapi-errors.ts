import { sizeText } from "./size-text.ts";

/** The error responses that operations share, by their name in the document's components. */
const errorResponses = {
  BadRequest: {
    status: 400,
    description:
      "The request is invalid, or the object is in the wrong state. Nothing was executed. If a parameter caused the error, `error.param` is its name.",
  },
  Unauthorized: {
    status: 401,
    description:
      "The key is missing, malformed, expired, revoked or publishable (`api_key_missing`, `api_key_malformed`, `api_key_invalid`, `api_key_expired`, `api_key_revoked`, `secret_key_required`).",
  },
  PaymentFailed: {
    status: 402,
    description:
      "The card was declined, or the acquirer rejected the operation. `error.decline_code` is the reason, and `error.charge` is the ID of the charge.",
  },
  Forbidden: {
    status: 403,
    description:
      "The key does not have the permission that the operation requires (`permission_denied`), or the operation requires a live key (`live_mode_required`).",
  },
  NotFound: {
    status: 404,
    description:
      "The object in the path does not exist in this account and mode (`resource_missing`).",
  },
  BodyTooLarge: {
    status: 413,
    description: "The body is larger than 64 KiB (`body_too_large`).",
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The body is not JSON (`content_type_unsupported`).",
  },
  IdempotencyKeyInUse: {
    status: 422,
    description:
      "The `Idempotency-Key` was used for a different request (`idempotency_key_in_use`).",
  },
  TooManyRequests: {
    status: 429,
    description:
      "A limit was exceeded, and nothing was executed (`rate_limit_exceeded`, `endpoint_rate_limit_exceeded`, `concurrency_limit_exceeded`, `mail_limit_exceeded`). Wait for the number of seconds in `Retry-After`.",
  },
  InternalError: {
    status: 500,
    description:
      "An error occurred in the service (`internal_error`). Send the same request again with the same `Idempotency-Key`.",
  },
  ServiceUnavailable: {
    status: 503,
    description:
      "The service cannot process the request now (`service_unavailable`, `service_overloaded`), or the first request with this `Idempotency-Key` is still running (`idempotency_request_in_progress`). Send the same request again with the same `Idempotency-Key`.",
  },
} as const;

type ResponseName = keyof typeof errorResponses;

/** An operation, with the properties that determine its errors. */
type FailingOperation = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly callsAcquirer?: true;
  readonly upload?: UploadLimits;
};

/** The media types and the maximum size of an uploaded file. */
export type UploadLimits = { readonly mediaTypes: readonly string[]; readonly maxBytes: number };

/** Returns the error responses of an operation by status. Most of them are references to the shared responses. */
export function errorsOf({
  method,
  path,
  callsAcquirer,
  upload,
}: FailingOperation): Record<string, object> {
  const names: ResponseName[] = [
    "BadRequest",
    "Unauthorized",
    ...(callsAcquirer ? (["PaymentFailed"] as const) : []),
    "Forbidden",
    ...(path.includes(":") ? (["NotFound"] as const) : []),
    ...(method === "POST"
      ? (["BodyTooLarge", "UnsupportedMediaType", "IdempotencyKeyInUse"] as const)
      : []),
    "TooManyRequests",
    "InternalError",
    "ServiceUnavailable",
  ];
  return {
    ...Object.fromEntries(
      names.map((name) => [
        errorResponses[name].status,
        { $ref: `#/components/responses/${name}` },
      ]),
    ),
    ...(upload && uploadErrors(upload)),
  };
}

/** Returns the error responses that are different for an upload, because its body is a file instead of JSON. */
function uploadErrors({ mediaTypes, maxBytes }: UploadLimits): Record<number, object> {
  const types = mediaTypes.map((type) => `\`${type}\``).join(", ");
  return {
    413: errorResponse(413, `The file is larger than ${sizeText(maxBytes)} (\`body_too_large\`).`),
    415: errorResponse(
      415,
      `The media type of the body is not one of ${types} (\`content_type_unsupported\`).`,
    ),
  };
}

/** Returns the document's components for the error responses. */
export function errorComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(errorResponses).map(([name, { status, description }]) => [
      name,
      errorResponse(status, description),
    ]),
  );
}

/** Returns an error response with its headers. */
export function errorResponse(status: number, description: string) {
  return {
    description,
    headers: errorHeaders(status),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function errorHeaders(status: number): Record<string, object> {
  const names = [
    "Request-Id",
    ...(status === 429 ? rateLimitHeaders : []),
    ...(status === 429 || status === 503 ? ["Retry-After"] : []),
    ...(status === 402 ? ["Idempotent-Replayed"] : []),
  ];
  return headerReferences(names);
}

const rateLimitHeaders = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Returns the headers of a successful response. */
export function successHeaders(method: string): Record<string, object> {
  const replayed = method === "POST" ? ["Idempotent-Replayed"] : [];
  return headerReferences(["Request-Id", ...rateLimitHeaders, ...replayed]);
}

function headerReferences(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name.replaceAll("-", "")}` }]),
  );
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };

/** The document's components for the headers of responses. */
export const headerComponents: Readonly<Record<string, object>> = {
  RequestId: {
    description: "ID of the request. Include it in support requests.",
    schema: text,
  },
  RateLimitLimit: {
    description: "Number of requests that the limit allows at once.",
    schema: count,
  },
  RateLimitRemaining: {
    description: "Number of requests that you can send immediately.",
    schema: count,
  },
  RateLimitReset: {
    description: "Seconds until the limit allows its full number of requests again.",
    schema: count,
  },
  RetryAfter: {
    description: "Seconds to wait before you send the request again.",
    schema: count,
  },
  IdempotentReplayed: {
    description:
      "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
};
