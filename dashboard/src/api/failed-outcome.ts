import type { ApiProblem } from "./problem.ts";

/** The outcome of a failed request for a one-time operation. */
export type FailedOutcome =
  /** Rejected definitively. The next try is a new operation with its own Idempotency-Key. */
  | "not done"
  /** It may have been done or still be in progress. */
  | "unknown"
  /** An earlier request with the same key was carried out, although its response was lost. */
  | "the one before was done";

/**
 * Returns the outcome of a failed request. `inDoubt` means that an earlier request with the same key had no response.
 * A rejection of a later, changed request says nothing about that one: with a new key, the next try could move the
 * money a second time.
 */
export function outcomeAfterFailure({ status, code }: ApiProblem, inDoubt: boolean): FailedOutcome {
  if (code === "idempotency_key_in_use") return "the one before was done";
  if (inDoubt || status === 0 || status >= 500 || isOfTheGate(status)) return "unknown";
  return "not done";
}

/** Returns whether the request was rejected before the key was read: signed out, not allowed, or rate limited. */
function isOfTheGate(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
