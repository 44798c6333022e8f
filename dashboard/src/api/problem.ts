import type { ErrorCode, ErrorEnvelope } from "@florin/contract/errors.ts";

type Facts = ErrorEnvelope["error"];

/** Messages for people, where the service's own message is for developers. */
const forPeople: { readonly [code in ErrorCode]?: string } = {
  // The client reuses a key after a lost response, so this means that the earlier request arrived after all.
  idempotency_key_in_use:
    "Your previous request was completed, although its response was lost. Check its result before you try again.",
};

/** An error of the service with its own message, or the failure to reach it. */
export class ApiProblem extends Error {
  override name = "ApiProblem";
  /** The HTTP status. 0 without a response. */
  readonly status: number;
  readonly code: ErrorCode | "unreachable";
  /** The invalid field, such as `line_items[0].amount`. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly facts: Facts | null;

  constructor(status: number, facts: Facts | null, message?: string) {
    super(
      (facts && forPeople[facts.code]) ??
        facts?.message ??
        message ??
        "Could not reach the service. Check your connection and try again.",
    );
    this.status = status;
    this.code = facts?.code ?? "unreachable";
    this.param = facts?.param ?? null;
    this.requestId = facts?.request_id ?? null;
    this.facts = facts;
  }

  /** True if a retry may succeed. Missing objects and missing permissions are permanent. */
  get mayPass(): boolean {
    const { status } = this;
    return status === 0 || status === 401 || status === 429 || status >= 500;
  }
}

export async function problemIn(response: Response): Promise<ApiProblem> {
  const envelope = (await response.json().catch(() => null)) as ErrorEnvelope | null;
  const fallback = `The service returned status ${response.status} without details.`;
  return new ApiProblem(response.status, envelope?.error ?? null, fallback);
}

/** Returns a thrown value as a problem. Anything else is a bug and is thrown again. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  throw error;
}
