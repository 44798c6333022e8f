import type { ErrorCode, ErrorEnvelope } from "@florin/contract/errors.ts";

type ErrorDetails = ErrorEnvelope["error"];

/** Messages that replace the service's messages for developers. */
const forPeople: { readonly [code in ErrorCode]?: string } = {
  // The dashboard reuses a key only after a lost response. This error therefore means that the service completed the
  // earlier request.
  idempotency_key_in_use:
    "Your previous request was completed, but its response was lost. Check the result before you try again.",
};

/** An error response of the service, or a failure to reach the service. */
export class ApiProblem extends Error {
  override name = "ApiProblem";
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode | "unreachable";
  /** The invalid field, such as `line_items[0].amount`. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly details: ErrorDetails | null;

  constructor(status: number, details: ErrorDetails | null, message?: string) {
    super(
      (details && forPeople[details.code]) ??
        details?.message ??
        message ??
        "Could not reach the service. Check your connection and try again.",
    );
    this.status = status;
    this.code = details?.code ?? "unreachable";
    this.param = details?.param ?? null;
    this.requestId = details?.request_id ?? null;
    this.details = details;
  }

  /** True if a retry may succeed. Missing objects and missing permissions are permanent. */
  get isRetryable(): boolean {
    const { status } = this;
    return status === 0 || status === 401 || status === 429 || status >= 500;
  }
}

export async function problemIn(response: Response): Promise<ApiProblem> {
  const envelope = (await response.json().catch(() => null)) as ErrorEnvelope | null;
  const fallback = `The service returned status ${response.status} without details. Try again later.`;
  return new ApiProblem(response.status, envelope?.error ?? null, fallback);
}

/** Returns the value if it is an `ApiProblem`. Rethrows any other value, which is a bug. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  throw error;
}
