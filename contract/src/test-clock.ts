import Type, { type Static } from "typebox";

/** The maximum number of seconds per request: half a year, which is longer than any waiting time of the service. */
const maxSeconds = 180 * 24 * 60 * 60;

/** Advances the test clock, so that everything scheduled in test mode is due earlier. */
export const AdvanceTestClock = Type.Object(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: maxSeconds,
      description: "Number of seconds by which the clock advances.",
    }),
  },
  { additionalProperties: false },
);
export type AdvanceTestClock = Static<typeof AdvanceTestClock>;

export const TestClockAdvanced = Type.Object(
  {
    object: Type.Literal("test_clock", { description: "Always `test_clock`." }),
    livemode: Type.Literal(false, { description: "Always `false`." }),
    advanced_by: Type.Integer({ description: "Number of seconds by which the clock advanced." }),
  },
  { description: "Result of advancing the clock of test mode." },
);
export type TestClockAdvanced = Static<typeof TestClockAdvanced>;
