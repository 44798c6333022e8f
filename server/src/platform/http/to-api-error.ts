import type { ErrorCode } from "@florin/contract/errors.ts";
import { ApiError } from "../../core/api-error.ts";
import { QueueFull } from "../database/group-commit.ts";
import { isUnavailable } from "../database/unavailable.ts";

/** The maximum size of a body. */
export const bodyLimitBytes = 64 * 1024;

/** The service's errors for those of the framework. */
const frameworkErrors: Readonly<Record<string, readonly [code: ErrorCode, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body_too_large",
    `The body is larger than ${bodyLimitBytes / 1024} KiB, the limit of a JSON body. Send less.`,
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "content_type_unsupported",
    "The body must be JSON, or the file that the endpoint takes. Send 'Content-Type: application/json', or the media type in the reference.",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "request_malformed",
    "The body's length is not what its Content-Length says.",
  ],
  FST_ERR_BAD_URL: ["endpoint_unknown", "The path is not a valid URL."],
  FST_ERR_MAX_PARAM_LENGTH: ["endpoint_unknown", "The path holds an id longer than any there is."],
};

/** Turns any thrown value into the error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueueFull) {
    return new ApiError(
      "service_overloaded",
      "More requests are waiting than can be served in time, and nothing was done for this one. Retry with exponential backoff and the same Idempotency-Key.",
      { retryAfterSeconds: 1 },
    );
  }
  if (isUnavailable(error)) {
    return new ApiError(
      "service_unavailable",
      "The service cannot reach its database for the moment. Retry with exponential backoff and the same Idempotency-Key.",
      { retryAfterSeconds: 2 },
    );
  }
  const [code, message] = frameworkErrors[codeOf(error)] ?? [];
  if (code && message) return new ApiError(code, message);
  return new ApiError(
    "internal_error",
    "Something went wrong on our side. Retry with exponential backoff and the same Idempotency-Key; tell us the request_id if it stays.",
  );
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
