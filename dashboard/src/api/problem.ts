import type { ErrorCode, ErrorEnvelope } from "@florin/contract/errors.ts";

type Facts = ErrorEnvelope["error"];

/** What the service refused, in its own words; or that it could not be reached. */
export class ApiProblem extends Error {
  override name = "ApiProblem";
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  readonly code: ErrorCode | "unreachable";
  /** The field at fault, such as `line_items[0].amount`. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly facts: Facts | null;

  constructor(status: number, facts: Facts | null, message?: string) {
    super(
      facts?.message ?? message ?? "The service could not be reached. Look at your connection.",
    );
    this.status = status;
    this.code = facts?.code ?? "unreachable";
    this.param = facts?.param ?? null;
    this.requestId = facts?.request_id ?? null;
    this.facts = facts;
  }
}

export async function problemIn(response: Response): Promise<ApiProblem> {
  const envelope = (await response.json().catch(() => null)) as ErrorEnvelope | null;
  const silent = `The service answered ${response.status} and said nothing more.`;
  return new ApiProblem(response.status, envelope?.error ?? null, silent);
}

/** Anything that was thrown, as a problem: what is none of ours is a bug, and is not hidden. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  throw error;
}
