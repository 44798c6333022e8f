import type { Clock } from "../core/clock.ts";
import type { ObservedCall } from "./observe-calls.ts";

/** Acquirer health, derived from the responses to regular requests. */
export type AcquirerHealth = {
  record(call: Pick<ObservedCall, "reference" | "response">): void;
  /** Returns true while every request fails, about at least three references and for at least ten seconds. */
  isUnreachable(): boolean;
};

/** Below this number one payment may be the cause: it is sent about three times within 15 seconds. */
const minReferences = 3;
const unreachableAfterMs = 10_000;

export function createAcquirerHealth(clock: Clock): AcquirerHealth {
  /**
   * References without a response since the last one, and the time of the first. No more than the threshold is kept.
   */
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
