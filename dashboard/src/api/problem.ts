import type { ErrorCode, ErrorEnvelope } from "@florin/contract/errors.ts";

type Facts = ErrorEnvelope["error"];

/** Where the service speaks to programs, and a person has to know something else. */
const forPeople: { readonly [code in ErrorCode]?: string } = {
  // A key is kept while its answer is lost, so this says that the request before it arrived after all.
  idempotency_key_in_use:
    "What you sent before had no answer, but it has arrived. Look at what became of it before you send another.",
};

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
      (facts && forPeople[facts.code]) ??
        facts?.message ??
        message ??
        "The service could not be reached. Look at your connection.",
    );
    this.status = status;
    this.code = facts?.code ?? "unreachable";
    this.param = facts?.param ?? null;
    this.requestId = facts?.request_id ?? null;
    this.facts = facts;
  }

  /** Whether the same may be answered well another time: what is not there, or not allowed, stays so. */
  get mayPass(): boolean {
    const { status } = this;
    return status === 0 || status === 401 || status === 429 || status >= 500;
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
