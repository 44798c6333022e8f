import type { Clock } from "../core/clock.ts";
import type { ObservedCall } from "./observe-calls.ts";

/** Tracks whether an acquirer is reachable, from the results of the requests that are sent to it. */
export type AcquirerHealth = {
  record(call: Pick<ObservedCall, "reference" | "response">): void;
  /**
   * Returns true if all requests have failed for at least ten seconds, and these requests have at least three different
   * references.
   */
  isUnreachable(): boolean;
};

/**
 * The number of different references whose requests must fail before the acquirer counts as unreachable. One payment
 * causes about three requests within 15 seconds. With a lower number, a problem with a single payment could count as an
 * outage of the acquirer.
 */
const minReferences = 3;
const unreachableAfterMs = 10_000;

export function createAcquirerHealth(clock: Clock): AcquirerHealth {
  /** The references of failed requests since the last response. Contains at most `minReferences` references. */
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
