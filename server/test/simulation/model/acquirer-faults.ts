import type { Faults } from "@florin/simulator/faults.ts";
import { slowed } from "../../slowness.ts";

/** A fault of the connection to the acquirer that affects one message, and the possible results of the message. */
export type PlannedFault = {
  readonly faults: Faults;
  /** The result in the response to the merchant's request. */
  readonly immediate: "done" | "declined" | "unknown";
  /** The possible results after status inquiries and retries. */
  readonly final: readonly ("done" | "declined")[];
};

/** Longer than a response takes on a busy machine, because the model expects every response before the timeout. */
export const acquirerTimeoutMs = slowed(3_000);
const tooLateMs = acquirerTimeoutMs + 700;

export const noFault: PlannedFault = { faults: {}, immediate: "done", final: ["done"] };
const unknownThenDone = (faults: Faults): PlannedFault => ({
  faults,
  immediate: "unknown",
  final: ["done"],
});
const unknownThenDeclined = (faults: Faults): PlannedFault => ({
  faults,
  immediate: "unknown",
  final: ["declined"],
});

const commonFaults: readonly PlannedFault[] = [
  noFault,
  { ...noFault, faults: { delayMs: 40 } },
  { ...noFault, faults: { respondTwice: true } },
  unknownThenDone({ dropAfter: true }),
  unknownThenDone({ garbage: true }),
  unknownThenDone({ reset: true }),
  unknownThenDone({ otherReference: true }),
  unknownThenDone({ delayMs: tooLateMs }),
  unknownThenDeclined({ rejectLate: true }),
  { faults: { otherAmount: true }, immediate: "declined", final: ["declined"] },
];

/**
 * Faults of authorizations. If an inquiry does not find an authorization, the service reverses it, because the
 * authorization may still arrive.
 */
export const authorizationFaults: readonly PlannedFault[] = [
  ...commonFaults,
  unknownThenDeclined({ dropBefore: true }),
  unknownThenDeclined({ arriveAfterNotFound: true }),
  { faults: { hangMs: tooLateMs }, immediate: "unknown", final: ["done", "declined"] },
];

/** Faults of captures, voids and refunds, which the service retries under the same reference until they succeed. */
export const operationFaults: readonly PlannedFault[] = [
  ...commonFaults,
  unknownThenDone({ dropBefore: true }),
  unknownThenDone({ hangMs: tooLateMs }),
];
