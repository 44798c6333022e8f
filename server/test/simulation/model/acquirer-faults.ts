import type { Faults } from "@florin/simulator/faults.ts";
import { slowed } from "../../slowness.ts";

/** A fault of the connection to the acquirer for one message, and its possible outcomes. */
export type Trouble = {
  readonly faults: Faults;
  /** The result when the request returns. */
  readonly immediate: "done" | "declined" | "unknown";
  readonly final: readonly ("done" | "declined")[];
};

/** Longer than a busy machine takes to respond, because the calm environment expects every response in time. */
export const acquirerTimeoutMs = slowed(3_000);
const tooLateMs = acquirerTimeoutMs + 700;

const well: Trouble = { faults: {}, immediate: "done", final: ["done"] };
const lost = (faults: Faults): Trouble => ({ faults, immediate: "unknown", final: ["done"] });
const never = (faults: Faults): Trouble => ({ faults, immediate: "unknown", final: ["declined"] });

const everywhere: readonly Trouble[] = [
  well,
  { ...well, faults: { delayMs: 40 } },
  { ...well, faults: { respondTwice: true } },
  lost({ dropAfter: true }),
  lost({ garbage: true }),
  lost({ reset: true }),
  lost({ otherReference: true }),
  lost({ delayMs: tooLateMs }),
  never({ rejectLate: true }),
  { faults: { otherAmount: true }, immediate: "declined", final: ["declined"] },
];

/** An authorization that an inquiry does not find is reversed, because it may still arrive. */
export const troubleWithMoney: readonly Trouble[] = [
  ...everywhere,
  never({ dropBefore: true }),
  never({ arriveAfterNotFound: true }),
  { faults: { hangMs: tooLateMs }, immediate: "unknown", final: ["done", "declined"] },
];

/** Operations on an approval are retried under the same reference until they succeed. */
export const troubleWithOperations: readonly Trouble[] = [
  ...everywhere,
  lost({ dropBefore: true }),
  lost({ hangMs: tooLateMs }),
];

export { well };
