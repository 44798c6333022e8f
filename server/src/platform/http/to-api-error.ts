import type { ErrorCode } from "@florin/contract/errors.ts";
import { ApiError } from "../../core/api-error.ts";
import { QueueFull } from "../database/group-commit.ts";
import { isUnavailable } from "../database/unavailable.ts";

/** The maximum size of a body. */
export const bodyLimitBytes = 64 * 1024;

/** The service's error for each error code of the framework. */
const frameworkErrors: Readonly<Record<string, readonly [code: ErrorCode, message: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "content_type_unsupported",
    "The body must be JSON, or a file that the endpoint accepts. Send 'Content-Type: application/json', or a media type in the reference.",
  ],
  FST_ERR_BAD_URL: [
    "endpoint_unknown",
    "The path must be a valid URL path. Check the encoding of the path.",
  ],
  FST_ERR_MAX_PARAM_LENGTH: ["endpoint_unknown", "The ID in the path is too long. Check the ID."],
};

/** Converts a thrown value into an error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueueFull) {
    return new ApiError(
      "service_overloaded",
      "The service is at capacity, and the request was not executed. Retry with exponential backoff and the same Idempotency-Key.",
      { retryAfterSeconds: 1 },
    );
  }
  if (isUnavailable(error)) {
    return new ApiError(
      "service_unavailable",
      "The service cannot reach its database. Retry with exponential backoff and the same Idempotency-Key.",
      { retryAfterSeconds: 2 },
    );
  }
  const [code, message] = frameworkErrors[codeOf(error)] ?? [];
  if (code && message) return new ApiError(code, message);
  return new ApiError(
    "internal_error",
    "An internal error occurred. Retry with exponential backoff and the same Idempotency-Key. If the error persists, contact the operator with the request_id.",
  );
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
