import Type, { type Static } from "typebox";

/** Half a year, which is longer than any waiting time of the service. */
const longestSeconds = 180 * 24 * 60 * 60;

/** Test mode: moves all due times closer. */
export const AdvanceTestClock = Type.Object(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: longestSeconds,
      description: "By how much everything that waits comes nearer to its time.",
    }),
  },
  { additionalProperties: false },
);
export type AdvanceTestClock = Static<typeof AdvanceTestClock>;

export const TestClockAdvanced = Type.Object(
  {
    object: Type.Literal("test_clock", { description: "Always `test_clock`." }),
    livemode: Type.Literal(false, { description: "Always false." }),
    advanced_by: Type.Integer({ description: "The seconds that have passed." }),
  },
  { description: "Time that has passed in test mode." },
);
export type TestClockAdvanced = Static<typeof TestClockAdvanced>;
