import type { ApiProblem } from "./problem.ts";

/** The outcome of a failed request for a one-time operation. */
export type FailedOutcome =
  /** The service rejected the request. The next try is a new operation with a new Idempotency-Key. */
  | "rejected"
  /** The service may have completed the operation, or may still be processing it. */
  | "unknown"
  /** The service had completed an earlier request with the same key, whose response was lost. */
  | "completed_earlier";

/**
 * Returns the outcome of a failed request. `inDoubt` is true if an earlier request with the same key had no response.
 * The outcome of that earlier request stays unknown even if a later request is rejected. If the next try used a new
 * key, the money could move twice.
 */
export function outcomeAfterFailure({ status, code }: ApiProblem, inDoubt: boolean): FailedOutcome {
  if (code === "idempotency_key_in_use") return "completed_earlier";
  if (inDoubt || status === 0 || status >= 500 || isRejectedBeforeKeyLookup(status))
    return "unknown";
  return "rejected";
}

/**
 * Returns whether the service rejected the request before it looked up the Idempotency-Key: the person is signed out,
 * not allowed, or rate limited.
 */
function isRejectedBeforeKeyLookup(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
