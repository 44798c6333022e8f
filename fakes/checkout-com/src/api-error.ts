/**
 * A response to a request that the API rejects. 401, 403 and 404 have no body (nas-openapi.json, responses of
 * `/payments/{id}/captures`).
 */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCodes: readonly string[] | null;

  constructor(status: number, errorCodes: readonly string[] | null) {
    super(`${status} ${errorCodes?.join(", ") ?? ""}`);
    this.status = status;
    this.errorCodes = errorCodes;
  }

  /** Returns the body in the form of the schema `ValidationError` (nas-openapi.json). */
  body(requestId: string): string {
    if (this.errorCodes === null) return "";
    return JSON.stringify({
      request_id: requestId,
      error_type: "request_invalid",
      error_codes: this.errorCodes,
    });
  }
}

export function invalid(...errorCodes: readonly string[]): ApiError {
  return new ApiError(422, errorCodes);
}

export function notFound(): ApiError {
  return new ApiError(404, null);
}

/** The state of the payment does not allow the action (nas-openapi.json: "Capture not allowed"). */
export function notAllowed(): ApiError {
  return new ApiError(403, null);
}
