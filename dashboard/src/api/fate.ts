import type { ApiProblem } from "./problem.ts";

/** What became of something that was to be done once and was not answered with success. */
export type Fate =
  /** Refused for good: the next try is another intention, with a key of its own. */
  | "not done"
  /** It may have been done, or still be under way. */
  | "unknown"
  /** It was sent under the key of one before it, whose answer was lost and which has arrived. */
  | "the one before was done";

/**
 * In doubt is what was sent before under the same key and had no answer. A refusal of what was changed since says nothing
 * about that: with a key of its own, the next try could move the money a second time.
 */
export function fateAfter({ status, code }: ApiProblem, inDoubt: boolean): Fate {
  if (code === "idempotency_key_in_use") return "the one before was done";
  if (inDoubt || status === 0 || status >= 500 || isOfTheGate(status)) return "unknown";
  return "not done";
}

/** Refused before anybody looked at the key: signed out, not allowed, or too often. */
function isOfTheGate(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
