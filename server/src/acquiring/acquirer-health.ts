import type { Clock } from "../core/clock.ts";
import type { ObservedCall } from "./observe-calls.ts";

/** Tracks the health of an acquirer from the responses to its requests. */
export type AcquirerHealth = {
  record(call: Pick<ObservedCall, "reference" | "response">): void;
  /** Returns true if every request has failed for at least ten seconds, with at least three different references. */
  isUnreachable(): boolean;
};

/**
 * The number of references that must fail. A lower number could blame the acquirer for a problem with one payment,
 * which is requested about three times within 15 seconds.
 */
const minReferences = 3;
const unreachableAfterMs = 10_000;

export function createAcquirerHealth(clock: Clock): AcquirerHealth {
  /** The references of failed requests since the last response. Keeps no more than the threshold. */
  const failedReferences = new Set<string>();
  let since = clock.now();
  return {
    record({ reference, response }) {
      if (response.kind !== "unknown" && response.kind !== "not_sent")
        return failedReferences.clear();
      if (failedReferences.size === 0) since = clock.now();
      if (failedReferences.size < minReferences) failedReferences.add(reference);
    },
    isUnreachable() {
      const failingMs = clock.now().getTime() - since.getTime();
      return failedReferences.size >= minReferences && failingMs >= unreachableAfterMs;
    },
  };
}
