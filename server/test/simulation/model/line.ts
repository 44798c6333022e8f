import type { Faults } from "../../../src/processors/simulator/faults.ts";

/** What the line to the acquirer does to one message, and what becomes of it then. */
export type Trouble = {
  readonly faults: Faults;
  /** What is known when the request is answered. */
  readonly atOnce: "done" | "refused" | "unknown";
  readonly inTheEnd: readonly ("done" | "refused")[];
};

/** Longer than the acquirer is waited for, in every world of the model. */
const tooLateMs = 2_200;

const well: Trouble = { faults: {}, atOnce: "done", inTheEnd: ["done"] };
const lost = (faults: Faults): Trouble => ({ faults, atOnce: "unknown", inTheEnd: ["done"] });
const never = (faults: Faults): Trouble => ({ faults, atOnce: "unknown", inTheEnd: ["refused"] });

const everywhere: readonly Trouble[] = [
  well,
  { ...well, faults: { delayMs: 40 } },
  { ...well, faults: { answerTwice: true } },
  lost({ dropAfter: true }),
  lost({ garbage: true }),
  lost({ reset: true }),
  lost({ otherReference: true }),
  lost({ delayMs: tooLateMs }),
  never({ refuseLate: true }),
  { faults: { otherAmount: true }, atOnce: "refused", inTheEnd: ["refused"] },
];

/** A request for money that is not found is undone, for it may still arrive. */
export const troubleWithMoney: readonly Trouble[] = [
  ...everywhere,
  never({ dropBefore: true }),
  never({ arriveAfterNotFound: true }),
  { faults: { hangMs: tooLateMs }, atOnce: "unknown", inTheEnd: ["done", "refused"] },
];

/** What is asked of an approval is asked again, under the same reference, until it is done. */
export const troubleWithOperations: readonly Trouble[] = [
  ...everywhere,
  lost({ dropBefore: true }),
  lost({ hangMs: tooLateMs }),
];

export { well };
